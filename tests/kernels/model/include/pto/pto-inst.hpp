#pragma once

#include "model/instructions.hpp"
