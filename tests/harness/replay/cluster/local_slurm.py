"""A real Slurm on this machine: a controller and nodes of one processor each."""

import os
import socket
import subprocess
import time
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue")
NODES = 4
SECONDS = 60
# Where Debian keeps daemons, which is on no user's path.
PATH = os.pathsep.join([os.environ["PATH"], "/usr/sbin", "/sbin"])

CONFIGURATION = """\
ClusterName=vintage
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
ReturnToService=2
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
NodeName=n[1-{nodes}] NodeHostname={host} NodeAddr=127.0.0.1 Port={ports} CPUs=1
PartitionName=main Nodes=ALL Default=YES State=UP
PartitionName=closed Nodes=ALL State=DOWN
"""


def _free_ports(count: int) -> list[int]:
    """Ports that nobody has now, behind each other: Slurm wants a range for its nodes."""
    for _ in range(100):
        with socket.socket() as first:
            first.bind(("127.0.0.1", 0))
            start = first.getsockname()[1]
        rest: list[socket.socket] = []
        try:
            for port in range(start, start + count):
                one = socket.socket()
                rest.append(one)
                one.bind(("127.0.0.1", port))
            return list(range(start, start + count))
        except OSError:
            continue
        finally:
            for one in rest:
                one.close()
    raise AssertionError("no free ports behind each other")


class Cluster:
    def __init__(self, folder: Path, count: int = NODES) -> None:
        self.count = count
        self.folder = folder
        self.environment = {**os.environ, "PATH": PATH, "SLURM_CONF": f"{folder}/slurm.conf"}
        self._daemons: list[subprocess.Popen[bytes]] = []
        for name in ("state", "spool"):
            (folder / name).mkdir()
        key = folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        controller, *nodes = _free_ports(1 + count)
        (folder / "slurm.conf").write_text(
            CONFIGURATION.format(
                host=socket.gethostname().split(".")[0],
                folder=folder,
                user=self._user(),
                controller=controller,
                nodes=count,
                ports=f"[{nodes[0]}-{nodes[-1]}]",
            )
        )
        places = {"key-file": key} | {
            option: folder / name
            for option, name in (("socket", "munge.socket"), ("pid-file", "munged.pid"),
                                 ("log-file", "munged.log"), ("seed-file", "munge.seed"))
        }  # fmt: skip
        options = [f"--{option}={place}" for option, place in places.items()]
        self._start("munged", "--foreground", "--force", *options)
        self._until((folder / "munge.socket").exists, "munged")
        self._start("slurmctld", "-D", "-f", f"{folder}/slurm.conf")
        self.nodes = [self.start_node(number) for number in range(1, count + 1)]
        self._until(lambda: self.ask("sinfo", "-h", "-p", "main", "-t", "idle", "-o", "%D")
                    == str(count), "the nodes")  # fmt: skip

    @staticmethod
    def _user() -> str:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name

    def start_node(self, number: int) -> subprocess.Popen[bytes]:
        return self._start("slurmd", "-D", "-f", f"{self.folder}/slurm.conf", "-N", f"n{number}")

    def _start(self, *command: str) -> subprocess.Popen[bytes]:
        daemon = subprocess.Popen(
            command, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self._daemons.append(daemon)
        return daemon

    def ask(self, *command: str) -> str:
        done = subprocess.run(
            command, env=self.environment, capture_output=True, text=True, check=False
        )
        return done.stdout.strip()

    def _until(self, is_so, what: str) -> None:
        """Waits for what a daemon says."""
        until = time.monotonic() + SECONDS
        while not is_so():
            assert time.monotonic() < until, f"{what} did not start: {self._logs()}"
            time.sleep(0.05)

    def wait_for(self, is_so) -> None:
        self._until(is_so, "what the test waits for")

    def _logs(self) -> str:
        return "\n".join(log.read_text()[-1000:] for log in self.folder.glob("*.log"))

    def stop(self) -> None:
        for daemon in reversed(self._daemons):
            daemon.terminate()
        for daemon in self._daemons:
            daemon.wait()
