# SPDX-License-Identifier: Apache-2.0
"""stale_reads.py finds the code by which ptxas 13.0.88 lost a GPU, and nothing in the same code with enough cycles."""
from __future__ import annotations

import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python/gpu"))
import stale_reads  # noqa: E402

# cuobjdump's listing of kernels: operation and the two halves of its code, of which the upper one has the cycles.
BEGIN = [("LD.E R9, [R4.64]", 0x000EA2000C101900), ("@P0 IADD3 R6, P1, R4, R9, RZ", 0x008FCA0007F3E0FF),
         ("@P0 IMAD.X R7, RZ, RZ, R5, P1", 0x000FE200008E0605)]
ZEROES = ("CS2R R4, SRZ", 0x000FE4000001FF00)  # two cycles
ADDRESS = ("@P0 IMAD.WIDE.U32 R4, R0, 0x8, R6", 0x000FC600078E0006)  # three
COMPARISON = ("ISETP.NE.U32.AND P0, PT, R4, RZ, PT", 0x000FC80003F05070)
UPPER_COMPARISON = ("ISETP.NE.AND.EX P0, PT, R5, RZ, PT, P0", 0x000FE20003F05300)


def listing(code, name="kernel"):
    lines = [f"\t\tFunction : {name}", '\t.headerflags\t@"EF_CUDA_SM90"']
    for n, (text, upper) in enumerate(code):
        lines += [f"        /*{16 * n:04x}*/                   {text} ;        /* 0x00000000000478{n:02x} */", f"   /* 0x{upper:016x} */"]
    return lines


def found(code):
    return [(setter.text, reader.text) for setter, reader in stale_reads.stale_reads(listing(code))]


def test_a_comparison_that_reads_the_zeroes_too_soon_is_found():
    assert found([*BEGIN, ZEROES, ADDRESS, COMPARISON, UPPER_COMPARISON]) == [(ZEROES[0], COMPARISON[0])]


def test_an_upper_half_that_is_read_too_soon_is_found():
    assert found([ZEROES, UPPER_COMPARISON]) == [(ZEROES[0], UPPER_COMPARISON[0])]


def test_enough_cycles_are_right():
    waits = ("CS2R R4, SRZ", 0x000FE6000001FF00)  # three
    assert found([*BEGIN, waits, ADDRESS, COMPARISON]) == []


def test_registers_that_are_set_again_without_a_condition_are_right():
    assert found([ZEROES, ("IMAD.WIDE.U32 R4, R0, 0x8, R6", ADDRESS[1]), COMPARISON]) == []
    assert found([ZEROES, ("IMAD.MOV.U32 R4, RZ, RZ, R0", ADDRESS[1]), UPPER_COMPARISON]) == [(ZEROES[0], UPPER_COMPARISON[0])]


def test_stores_and_pairs_read_their_registers():
    store = ("@P0 ST.E.64 [R2.64], R4", COMPARISON[1])
    assert found([ZEROES, store]) == [(ZEROES[0], store[0])]
    load = ("LD.E R9, [R4.64]", COMPARISON[1])
    assert found([("CS2R R4, SRZ", ZEROES[1]), load]) == [(ZEROES[0], load[0])]


def test_stores_read_their_data_a_cycle_later():
    waits = ("CS2R R4, SRZ", 0x000FEA000001FF00)  # five
    assert found([waits, ("STS.128 [R3+0x190], R4", COMPARISON[1])]) == []
    assert found([waits, COMPARISON]) == [(waits[0], COMPARISON[0])]


def test_a_register_of_32_bits_and_another_kernel_are_no_matter():
    assert found([("CS2R.32 R4, SR_CLOCKLO", ZEROES[1]), COMPARISON]) == []
    both = [*listing([ZEROES]), *listing([COMPARISON], "other")]
    assert list(stale_reads.stale_reads(both)) == []


def test_a_program_without_gpu_code_is_an_error(tmp_path):
    lister = tmp_path / "cuobjdump"
    lister.write_text("#!/bin/sh\necho 'cuobjdump info : File does not contain device code' >&2\n")
    lister.chmod(0o755)
    done = subprocess.run([sys.executable, stale_reads.__file__, "/bin/true", "--cuobjdump", lister], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "no GPU code was listed: cuobjdump info" in done.stderr


def test_a_machine_without_the_lister_is_one_clear_line():
    done = subprocess.run([sys.executable, stale_reads.__file__, "/bin/true", "--cuobjdump", "/none/cuobjdump"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1) and "there is no /none/cuobjdump" in done.stderr and "make setup" in done.stderr


def test_a_program_with_such_code_is_refused(tmp_path):
    (tmp_path / "code").write_text("\n".join(listing([ZEROES, COMPARISON])) + "\n")
    lister = tmp_path / "cuobjdump"
    lister.write_text(f"#!/bin/sh\ncat {tmp_path}/code\n")
    lister.chmod(0o755)
    done = subprocess.run([sys.executable, stale_reads.__file__, "/bin/true", "--cuobjdump", lister], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "1 GPU functions, 1 stale reads" in done.stdout and "reads it too soon" in done.stdout
