#!/bin/bash
# Vectors of very many k-sets on several machines of a Slurm cluster:
#
#   sbatch examples/slurm.sh RUN SETS OUT
#
# RUN, SETS and OUT must be on a file system that all machines share. One torchrun a machine starts a process
# a core; they divide the parts. A job that is stopped and queued again goes on from the parts that are there.
#SBATCH --job-name=mhmgnn
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --time=12:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
set -euo pipefail

run=${1:?the folder of a model} sets=${2:?a table of k-sets} out=${3:?where the vectors go}
read -r first < <(scontrol show hostnames "$SLURM_JOB_NODELIST")  # a pipe to head may end scontrol early
port=$((20000 + SLURM_JOB_ID % 10000))  # jobs that meet on a machine must not meet at a port
export OMP_NUM_THREADS=1 MHMGNN_THREADS=1

srun torchrun --nnodes "$SLURM_NNODES" --nproc-per-node "$SLURM_CPUS_PER_TASK" \
    --rdzv-id "$SLURM_JOB_ID" --rdzv-backend c10d --rdzv-endpoint "$first:$port" \
    -m mhmgnn embed "$run" "$sets" --out "$out"
