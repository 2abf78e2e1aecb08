#pragma once
#include "HooksDoor.h"
