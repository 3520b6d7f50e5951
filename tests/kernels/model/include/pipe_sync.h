// The kernel's results are in memory before it ends.
#pragma once

inline void pipe_sync() {
    for (const int pipe : {PIPE_MTE3, PIPE_FIX}) {
        set_flag(pipe, PIPE_S, EVENT_ID7);
        wait_flag(pipe, PIPE_S, EVENT_ID7);
    }
}
