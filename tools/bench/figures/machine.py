"""What the figures were measured on."""

import os
import platform
import subprocess


def describe():
    facts = {"processor": "unknown", "cores": os.cpu_count(), "kernel": platform.release(), "system": "unknown",
             "clock source": "unknown", "memory": "unknown", "Swift": "unknown"}
    facts["system"] = platform.freedesktop_os_release().get("PRETTY_NAME", "unknown") if os.path.exists("/etc/os-release") else ""
    for path, key, prefix in (("/proc/cpuinfo", "processor", "model name"), ("/proc/meminfo", "memory", "MemTotal")):
        for line in text(path).splitlines():
            if line.startswith(prefix):
                facts[key] = line.split(":", 1)[1].strip()
                break
    facts["clock source"] = text("/sys/devices/system/clocksource/clocksource0/current_clocksource").strip() or "unknown"
    found = subprocess.run(["swift", "--version"], capture_output=True, text=True, check=False).stdout.splitlines()
    facts["Swift"] = next((line for line in found if "Swift version" in line), "unknown").strip()
    facts["load before"] = " ".join(text("/proc/loadavg").split()[:3])
    return facts


def text(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""
