#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include "pto_orchestration_api.h"

extern "C" {

__attribute__((visibility("default")))
PTO2OrchestrationConfig aicpu_orchestration_config(const ChipTaskArgs &) {
    return PTO2OrchestrationConfig{6};
}

__attribute__((visibility("default")))
void aicpu_orchestration_entry([[maybe_unused]] const ChipTaskArgs &args) {
    const ChipTensor &x = args.tensor(0).ref();
    const ChipTensor &y = args.tensor(1).ref();
    // program.py:85
    const uint32_t t0_shape[] = {8, 8};
    TensorCreateInfo t0_info(t0_shape, 2, DataType::FLOAT32);
    const uint32_t t1_shape[] = {8, 8};
    TensorCreateInfo t1_info(t1_shape, 2, DataType::FLOAT32);
    const uint32_t t2_shape[] = {8, 8};
    TensorCreateInfo t2_info(t2_shape, 2, DataType::FLOAT32);
    const uint32_t t3_shape[] = {8, 8};
    TensorCreateInfo t3_info(t3_shape, 2, DataType::FLOAT32);
    const uint32_t t4_shape[] = {8, 8};
    TensorCreateInfo t4_info(t4_shape, 2, DataType::FLOAT32);
    const uint32_t t5_shape[] = {8, 8};
    TensorCreateInfo t5_info(t5_shape, 2, DataType::FLOAT32);
    const uint32_t t6_shape[] = {8, 8};
    TensorCreateInfo t6_info(t6_shape, 2, DataType::FLOAT32);
    const uint32_t t7_shape[] = {8, 8};
    TensorCreateInfo t7_info(t7_shape, 2, DataType::FLOAT32);
    const uint32_t t8_shape[] = {8, 8};
    TensorCreateInfo t8_info(t8_shape, 2, DataType::FLOAT32);
    const uint32_t t9_shape[] = {8, 8};
    TensorCreateInfo t9_info(t9_shape, 2, DataType::FLOAT32);
    const uint32_t t10_shape[] = {8, 8};
    TensorCreateInfo t10_info(t10_shape, 2, DataType::FLOAT32);
    const uint32_t t11_shape[] = {8, 8};
    TensorCreateInfo t11_info(t11_shape, 2, DataType::FLOAT32);
    const uint32_t t12_shape[] = {8, 8};
    TensorCreateInfo t12_info(t12_shape, 2, DataType::FLOAT32);
    const uint32_t t13_shape[] = {8, 8};
    TensorCreateInfo t13_info(t13_shape, 2, DataType::FLOAT32);
    const uint32_t t14_shape[] = {8, 8};
    TensorCreateInfo t14_info(t14_shape, 2, DataType::FLOAT32);
    const uint32_t t15_shape[] = {8, 8};
    TensorCreateInfo t15_info(t15_shape, 2, DataType::FLOAT32);
    TaskOutputTensors alloc = alloc_tensors(t0_info, t1_info, t2_info, t3_info, t4_info, t5_info, t6_info, t7_info, t8_info, t9_info, t10_info, t11_info, t12_info, t13_info, t14_info, t15_info);
    const ChipTensor &t0 = alloc.get_ref(0);
    const ChipTensor &t1 = alloc.get_ref(1);
    const ChipTensor &t2 = alloc.get_ref(2);
    const ChipTensor &t3 = alloc.get_ref(3);
    const ChipTensor &t4 = alloc.get_ref(4);
    const ChipTensor &t5 = alloc.get_ref(5);
    const ChipTensor &t6 = alloc.get_ref(6);
    const ChipTensor &t7 = alloc.get_ref(7);
    const ChipTensor &t8 = alloc.get_ref(8);
    const ChipTensor &t9 = alloc.get_ref(9);
    const ChipTensor &t10 = alloc.get_ref(10);
    const ChipTensor &t11 = alloc.get_ref(11);
    const ChipTensor &t12 = alloc.get_ref(12);
    const ChipTensor &t13 = alloc.get_ref(13);
    const ChipTensor &t14 = alloc.get_ref(14);
    const ChipTensor &t15 = alloc.get_ref(15);
    // program.py:101
    const uint32_t t16_shape[] = {8, 8};
    TensorCreateInfo t16_info(t16_shape, 2, DataType::FLOAT32);
    const uint32_t t17_shape[] = {8, 8};
    TensorCreateInfo t17_info(t17_shape, 2, DataType::FLOAT32);
    TaskOutputTensors alloc_2 = alloc_tensors(t16_info, t17_info);
    const ChipTensor &t16 = alloc_2.get_ref(0);
    const ChipTensor &t17 = alloc_2.get_ref(1);
    // program.py:103
    CoreTaskArgs params_t0;
    params_t0.add_input(x);
    params_t0.add_inout(t0);
    params_t0.add_scalar(0);
    rt_submit_aiv_task(0, params_t0);
    // program.py:104
    CoreTaskArgs params_t1;
    params_t1.add_input(x);
    params_t1.add_inout(t1);
    params_t1.add_scalar(1);
    rt_submit_aiv_task(0, params_t1);
    // program.py:105
    CoreTaskArgs params_t2;
    params_t2.add_input(x);
    params_t2.add_inout(t2);
    params_t2.add_scalar(2);
    rt_submit_aiv_task(0, params_t2);
    // program.py:106
    CoreTaskArgs params_t3;
    params_t3.add_input(x);
    params_t3.add_inout(t3);
    params_t3.add_scalar(3);
    rt_submit_aiv_task(0, params_t3);
    // program.py:107
    CoreTaskArgs params_t4;
    params_t4.add_input(x);
    params_t4.add_inout(t4);
    params_t4.add_scalar(4);
    rt_submit_aiv_task(0, params_t4);
    // program.py:108
    CoreTaskArgs params_t5;
    params_t5.add_input(x);
    params_t5.add_inout(t5);
    params_t5.add_scalar(5);
    rt_submit_aiv_task(0, params_t5);
    // program.py:109
    CoreTaskArgs params_t6;
    params_t6.add_input(x);
    params_t6.add_inout(t6);
    params_t6.add_scalar(6);
    rt_submit_aiv_task(0, params_t6);
    // program.py:110
    CoreTaskArgs params_t7;
    params_t7.add_input(x);
    params_t7.add_inout(t7);
    params_t7.add_scalar(7);
    rt_submit_aiv_task(0, params_t7);
    // program.py:111
    CoreTaskArgs params_t8;
    params_t8.add_input(x);
    params_t8.add_inout(t8);
    params_t8.add_scalar(8);
    rt_submit_aiv_task(0, params_t8);
    // program.py:112
    CoreTaskArgs params_t9;
    params_t9.add_input(x);
    params_t9.add_inout(t9);
    params_t9.add_scalar(9);
    rt_submit_aiv_task(0, params_t9);
    // program.py:113
    CoreTaskArgs params_t10;
    params_t10.add_input(x);
    params_t10.add_inout(t10);
    params_t10.add_scalar(10);
    rt_submit_aiv_task(0, params_t10);
    // program.py:114
    CoreTaskArgs params_t11;
    params_t11.add_input(x);
    params_t11.add_inout(t11);
    params_t11.add_scalar(11);
    rt_submit_aiv_task(0, params_t11);
    // program.py:115
    CoreTaskArgs params_t12;
    params_t12.add_input(x);
    params_t12.add_inout(t12);
    params_t12.add_scalar(12);
    rt_submit_aiv_task(0, params_t12);
    // program.py:116
    CoreTaskArgs params_t13;
    params_t13.add_input(x);
    params_t13.add_inout(t13);
    params_t13.add_scalar(13);
    rt_submit_aiv_task(0, params_t13);
    // program.py:117
    CoreTaskArgs params_t14;
    params_t14.add_input(x);
    params_t14.add_inout(t14);
    params_t14.add_scalar(14);
    rt_submit_aiv_task(0, params_t14);
    // program.py:118
    CoreTaskArgs params_t15;
    params_t15.add_input(x);
    params_t15.add_inout(t15);
    params_t15.add_scalar(15);
    rt_submit_aiv_task(0, params_t15);
    // program.py:119
    CoreTaskArgs params_t16;
    params_t16.add_input(x);
    params_t16.add_inout(t16);
    params_t16.add_scalar(16);
    rt_submit_aiv_task(0, params_t16);
    // program.py:120
    CoreTaskArgs params_t17;
    params_t17.add_input(x);
    params_t17.add_inout(t17);
    params_t17.add_scalar(17);
    rt_submit_aiv_task(0, params_t17);
    // program.py:122
    CoreTaskArgs params_t18;
    params_t18.add_input(t17);
    params_t18.add_inout(y);
    params_t18.add_scalar(0);
    rt_submit_aiv_task(0, params_t18);
}

}
