#!/usr/bin/env bash
# A real Slurm on this machine: one controller, and N node daemons on the loopback address that each pretend to be a
# whole node, with a munge of their own. It is there until standard input ends, so that it never outlives who started
# it. All that it writes is in DIR.
#   real_slurm.sh hold DIR [NODES=8] [CPUS=16] [MEMORY_MB=64000] [EXTRA_CONFIGURATION_FILE]
#     prints "ready" when all nodes are idle; then with SLURM_CONF=DIR/slurm.conf: sinfo, sbatch ...
#   real_slurm.sh node DIR NAME      starts the daemon of a node again
# As root, with Debian's packages slurmctld slurmd slurm-client munge. Every job that ended is a line of DIR/jobcomp.log.
# Without slurmdbd there is no accounting, so no sacct and no fair share. The ports are not Slurm's own, so a Slurm that
# a package may have started on this machine is another one.
set -euo pipefail
verb="$1" dir="$(mkdir -p "$2" && cd "$2" && pwd)" host="$(hostname -s)"
export SLURM_CONF="$dir/slurm.conf"

program() { for each in "/usr/sbin/$1-wlm" "/usr/sbin/$1"; do [ -x "$each" ] && { echo "$each"; return; }; done; echo "$1"; }
start_node() { mkdir -p "$dir/spool/$1"; "$(program slurmd)" -f "$SLURM_CONF" -N "$1" </dev/null >>"$dir/log/slurmd.out" 2>&1; }

is_alive() { [ -s "$1" ] && [ -e "/proc/$(cat "$1")/exe" ]; }  # by the file with its number
start_controller() {  # the port of a Slurm that has just ended may be in use for a while
  local end=$((SECONDS + 90))
  while [ "$SECONDS" -lt "$end" ]; do
    "$(program slurmctld)" -f "$SLURM_CONF" </dev/null >>"$dir/log/slurmctld.out" 2>&1 || true
    for _ in $(seq 25); do
      sleep 0.2
      is_alive "$dir/slurmctld.pid" && timeout 5 scontrol ping 2>/dev/null | grep -q "UP" && return 0
    done
  done
  return 1
}

end_processes_of_jobs() {  # those of nodes whose daemon was killed; they know whose jobs they are
  for process in /proc/[0-9]*; do
    grep -qz "^SLURM_CONF=$SLURM_CONF$" "$process/environ" 2>/dev/null || continue
    grep -qz '^SLURM_JOB_ID=' "$process/environ" 2>/dev/null || [ "$(cat "$process/comm" 2>/dev/null)" = slurmstepd ] || continue
    kill -s KILL "${process#/proc/}" 2>/dev/null || true
  done
}

stop() {  # jobs first: without their daemons they would go on
  trap '' INT TERM
  timeout 10 scancel --user="$(id -un)" >/dev/null 2>&1 || true
  for _ in $(seq 20); do [ -z "$(timeout 5 squeue -h 2>/dev/null)" ] && break; sleep 0.2; done
  local daemons=() process alive
  for file in "$dir"/*.pid; do [ -s "$file" ] && daemons+=("$(cat "$file")"); done
  for signal in TERM KILL; do
    for process in "${daemons[@]}"; do kill -s "$signal" "$process" 2>/dev/null || true; done
    for _ in $(seq 30); do
      alive=0
      for process in "${daemons[@]}"; do [ -e "/proc/$process/exe" ] && alive=1; done  # one that has ended has none
      [ "$alive" = 0 ] && break 2
      sleep 0.1
    done
  done
  end_processes_of_jobs
}

if [ "$verb" = node ]; then start_node "$3"; exit; fi
[ "$verb" = hold ] || { echo "no such verb: $verb" >&2; exit 2; }
nodes="${3:-8}" cpus="${4:-16}" memory="${5:-64000}" extra="${6:-/dev/null}"
mkdir -p "$dir"/{state,spool,log}
[ -f "$dir/munge.key" ] || (umask 077; dd if=/dev/urandom of="$dir/munge.key" bs=1 count=1024 status=none)
cat >"$SLURM_CONF" <<C
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=$dir/munge.socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool/%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd-%n.pid
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/slurmd-%n.log
SlurmctldPort=16817
SlurmdParameters=config_overrides
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=2,bf_resolution=1,bf_continue,sched_min_interval=0
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc=$dir/jobcomp.log
$(cat "$extra")
C
grep -q '^NodeName' "$SLURM_CONF" || echo "NodeName=n[1-$nodes] NodeHostname=$host NodeAddr=127.0.0.1 Port=[17001-$((17000 + nodes))] CPUs=$cpus CoresPerSocket=$cpus RealMemory=$memory State=UNKNOWN" >>"$SLURM_CONF"
grep -q '^PartitionName' "$SLURM_CONF" || echo "PartitionName=batch Nodes=ALL Default=YES MaxTime=INFINITE State=UP" >>"$SLURM_CONF"
trap stop EXIT
trap 'exit 1' INT TERM
"$(program munged)" --key-file="$dir/munge.key" --socket="$dir/munge.socket" --pid-file="$dir/munged.pid" \
  --log-file="$dir/log/munged.log" --seed-file="$dir/munged.seed" --num-threads=2 --force </dev/null >"$dir/log/munged.out" 2>&1
start_controller || { echo "the controller does not come up; see $dir/log" >&2; exit 1; }
for number in $(seq "$nodes"); do start_node "n$number"; done
end=$((SECONDS + 60))
while [ "$SECONDS" -lt "$end" ]; do
  [ "$(timeout 5 sinfo -h -N -t idle -o %N 2>/dev/null | sort -u | wc -l)" = "$nodes" ] && { echo ready; cat >/dev/null; exit; }
  sleep 0.2
done
echo "not all nodes became idle; see $dir/log" >&2
exit 1
