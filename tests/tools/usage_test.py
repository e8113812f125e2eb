from command import Run, main


def test_no_command_is_wrong_usage(_):
    Run().fails(2, "--help")


def test_unknown_command_and_option_are_wrong_usage(_):
    Run("no-such-command").fails(2, "--help")
    Run("packet").fails(2, "corliss packet --help")
    Run("packet", "kernels", "--nonsense").fails(2, "corliss packet kernels --help")


def test_help_has_examples_and_version_is_one_line(_):
    assert b"Usage:" in Run("--help").ok()
    for command in (("packet", "seal"), ("packet", "open"), ("packet", "check"), ("packet", "kernels")):
        text = Run(*command, "--help").ok()
        assert b"Examples:" in text and b"corliss " + " ".join(command).encode() in text, command
    assert Run("--version").ok().startswith(b"corliss ")


def test_reference_covers_every_command(_):
    man = Run("reference", "man").ok().decode()
    bash = Run("reference", "bash").ok().decode()
    for command in ("packet seal", "packet open", "packet check", "packet kernels"):
        assert f"corliss {command}" in man and f"corliss {command}" in bash, command
    assert ".SH EXIT STATUS" in man


def test_full_disk_is_a_local_error(_):
    import subprocess
    from command import CORLISS
    with open("/dev/full", "wb") as full:
        done = subprocess.run([CORLISS, "packet", "kernels"], stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 5 and b"standard output" in done.stderr, done


main(globals())
