"""The examples of how to run `ship`: systemd takes the unit, the manifest is what Kubernetes reads, and the command knows
every option in them."""
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "dashboards" / "ship"
OPTIONS = set(re.findall(r"--[a-z-]+", (ROOT / "Sources/Stallwatch/Stallwatch.docc/CommandLine.md").read_text()
                         .split("\n## ship\n")[1].split("\n## ")[0]))


class ShipExamples(unittest.TestCase):
    def test_every_option_is_one(self):
        for file in EXAMPLES.iterdir():
            command = [line for line in file.read_text().splitlines() if not line.lstrip().startswith("#")]
            used = set(re.findall(r"(?<![\w-])--[a-z-]+", "\n".join(command)))
            self.assertTrue(used)
            self.assertEqual(used - OPTIONS, set(), file.name)

    def test_systemd_takes_the_unit(self):
        if not shutil.which("systemd-analyze"):
            self.skipTest("no systemd-analyze")
        with tempfile.TemporaryDirectory() as folder:
            unit = pathlib.Path(folder) / "stallwatch-ship.service"
            # It looks for the program, which need not be installed here.
            unit.write_text((EXAMPLES / unit.name).read_text().replace("/usr/bin/stallwatch", "/bin/true"))
            done = subprocess.run(["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True,
                                  check=False)
        complaints = [line for line in done.stderr.splitlines() if unit.name in line]
        self.assertEqual(complaints, [], done.stderr)

    def test_the_manifest_is_whole(self):
        deployment, = yaml.safe_load_all((EXAMPLES / "kubernetes-sidecar.yaml").read_text())
        self.assertEqual(deployment["kind"], "Deployment")
        pod = deployment["spec"]["template"]["spec"]
        volumes = {volume["name"] for volume in pod["volumes"]}
        folders = []
        for container in pod["initContainers"] + pod["containers"]:
            mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
            self.assertLessEqual(mounts.keys(), volumes)
            folders.append(mounts["stores"])
        self.assertEqual(len(set(folders)), 1)
        ship = pod["initContainers"][0]
        self.assertEqual(ship["args"][:2], ["ship", folders[0]])
        # Only an init container that stays is a sidecar.
        self.assertEqual(ship["restartPolicy"], "Always")


if __name__ == "__main__":
    unittest.main()
