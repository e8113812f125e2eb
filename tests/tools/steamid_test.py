import json

from command import DATA, Run, main

PATH = DATA / "proto/steamid.json"
VECTORS = json.loads(PATH.read_text())


def test_every_vector_through_the_command_line(_):
    for item in VECTORS["parse"]:
        run = Run("steamid", "--json", "--", item["input"])
        if not item["accept"]:
            run.fails(1)
            continue
        shown = run.json()
        for key in item.keys() - {"input", "accept"}:
            assert shown[key] == item[key], (item["input"], key)


def test_game_and_global_ids(_):
    for option, items in (("--game", VECTORS["game_id"]), ("--global", VECTORS["global_id"])):
        for item in items:
            shown = Run("steamid", option, "--json", item["id"]).json()
            for key in shown.keys() & item.keys():
                assert shown[key] == item[key], (option, item["id"], key)
        for text in ("", "x", "18446744073709551616"):
            Run("steamid", option, "--", text).fails(1)
    assert b"none" in Run("steamid", "--global", "18446744073709551615").ok()
    assert b"GameMod" in Run("steamid", "--game", "10210309621176861092").ok()


def test_text_of_several_ids(_):
    out = Run("steamid", "76561197969249708", "[g:1:4]", "cv-dgb", "[c:1:4]").ok().decode()
    for text in ("STEAM_0:0:4491990", "[g:1:4]", "[U:1:123456]", "invite    cv-dgb", "its chat  110338190870577156",
                 "its clan  103582791429521412", "instance  524288, clan", "valid     yes"):
        assert text in out, text


def test_wrong_use(_):
    Run("steamid").fails(2)
    Run("steamid", "--game", "--global", "1").fails(2)
    Run("steamid", "--jsn", "1").fails(2)
    assert Run("steamid", "1", "bcd").code == 1


def test_check(_):
    Run("steamid", "check", PATH).ok()


main(globals())
