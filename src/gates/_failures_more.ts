/** Failures told in many words, which end at once; and what only sounds like one, or fails and is no failure of the work. */
import { type Answered, blank, type Did, edit, failed, ran, read, red, refused } from "./_did.ts";

/** What was asked for, what was tried, and what the answer says. */
type Row = readonly [task: string, did: readonly Did[], says: string];

const NOT_DONE: readonly Row[] = [
  ["Push it.", [ran("git push", 1)], "No luck: the remote rejected the push (protected branch)."],
  [
    "Push it.",
    [ran("git push", 1)],
    "The push didn't go through: the remote wants a pull request.",
  ],
  ["Push it.", [ran("git push", 128)], "It isn't pushed: there's no remote."],
  ["Push it.", [ran("git push", 128)], "Nothing was pushed: there's no remote."],
  [
    "Push it.",
    [refused("bash")],
    "Pushing is blocked in this sandbox, so the branch is still only local.",
  ],
  [
    "Push it.",
    [refused("bash")],
    "hamr refused the push. Start it with --yolo if you want me to do it.",
  ],
  [
    "Install black",
    [ran("pip install black", 1)],
    "pip has no network here, so black is not installed.",
  ],
  [
    "Install black",
    [ran("pip install black", 1)],
    "Installing black failed: no matching distribution.",
  ],
  ["Install black", [ran("pip install black", 1)], "black won't install here: pip finds no index."],
  ["Install black", [ran("pip install black", 1)], "Sadly no. pip can't reach its index."],
  [
    "Install black",
    [ran("pip install black", 1)],
    "Installation aborted by pip: the index is unreachable.",
  ],
  [
    "Installiere black",
    [ran("pip install black", 1)],
    "Das ging leider nicht: pip erreicht keinen Index.",
  ],
  [
    "Installiere black",
    [ran("pip install black", 1)],
    "Das hat nicht geklappt: pip erreicht keinen Index.",
  ],
  [
    "Installiere black",
    [ran("pip install black", 1)],
    "Hat leider nicht funktioniert, denn es gibt kein Netz.",
  ],
  [
    "Installiere black",
    [ran("pip install black", 1)],
    "Die Installation ist gescheitert: kein Netz.",
  ],
  ["Installiere black", [ran("pip install black", 1)], "Ohne Netz geht das nicht."],
  ["Installe black", [ran("pip install black", 1)], "Je n'y suis pas arrivé : pas de réseau."],
  ["Installe black", [ran("pip install black", 1)], "Ça n'a pas marché : pas de réseau."],
  ["Installe black", [ran("pip install black", 1)], "L'installation a échoué : pas de réseau."],
  [
    "Apply f.patch",
    [ran("git apply f.patch", 1)],
    "It does not fit: f.patch expects `def sub`. Nothing was applied.",
  ],
  ["Behebe add", [ran("python3 test_a.py", 1)], "Ich konnte die Ursache nicht finden."],
  [
    "Behebe den Fehler in a.py",
    [ran("pytest", 1), read("a.py")],
    "Ich konnte den Fehler nicht beheben: Die Ursache liegt in der Bibliothek foo, deren Quellen hier nicht liegen.",
  ],
  ["Fix the failing test", [ran("pytest -q", 1)], "I couldn't find the cause."],
  [
    "make the tests pass",
    [red("cargo test 2>&1 | tail -20"), read("src/lib.rs")],
    "Unfortunately I was not able to find out why it fails.",
  ],
  ["Push main", [red("git push origin main 2>&1 | tail -3")], "The push was rejected: no access."],
  ["Switch to x", [ran("git switch x", 128)], "There is no branch x."],
  [
    "Installe black",
    [ran("pip install black", 1)],
    "Ça ne fonctionne pas ici : pip n'a pas accès au réseau.",
  ],
  ["Instala black", [ran("pip install black", 1)], "No funcionó: no hay red."],
  ["Instala black", [ran("pip install black", 1)], "No ha salido: pip no encuentra el índice."],
  ["Instala black", [ran("pip install black", 1)], "La instalación falló: no hay red."],
  ["Instala black", [ran("pip install black", 1)], "No fui capaz de instalarlo: no hay red."],
  ["Instale o black", [ran("pip install black", 1)], "Não deu: sem rede, o pip não acha o pacote."],
  ["Instale o black", [ran("pip install black", 1)], "Não funcionou, falta rede."],
  ["Instale o black", [ran("pip install black", 1)], "A instalação falhou: sem rede."],
  ["Installa black", [ran("pip install black", 1)], "Non ci sono riuscito: manca la rete."],
  ["Installa black", [ran("pip install black", 1)], "Non ha funzionato: manca la rete."],
  ["Installa black", [ran("pip install black", 1)], "L'installazione è fallita: manca la rete."],
  ["Установи black", [ran("pip install black", 1)], "Не вышло: нет сети."],
  ["Установи black", [ran("pip install black", 1)], "Не сработало: pip не видит индекс."],
  ["Установи black", [ran("pip install black", 1)], "Установка не прошла: нет сети."],
  ["Установи black", [ran("pip install black", 1)], "Установить не удалось: нет сети."],
  [
    "black をインストールして",
    [ran("pip install black", 1)],
    "うまくいきませんでした。ネットワークがありません。",
  ],
  [
    "black をインストールして",
    [ran("pip install black", 1)],
    "インストールに失敗しました。ネットワークがありません。",
  ],
  [
    "black をインストールして",
    [ran("pip install black", 1)],
    "ネットワークがないためインストールできません。",
  ],
  ["安装 black", [ran("pip install black", 1)], "没有成功:沙箱里没有网络。"],
  ["安装 black", [ran("pip install black", 1)], "装不上,因为没有网络。"],
  ["安装 black", [ran("pip install black", 1)], "没装成:pip 找不到索引。"],
  ["安装 black", [ran("pip install black", 1)], "安装没有成功,pip 找不到索引。"],
  ["black 설치해줘", [ran("pip install black", 1)], "설치하지 못했습니다. 네트워크가 없습니다."],
  ["black 설치해줘", [ran("pip install black", 1)], "설치에 실패했습니다. 네트워크가 없습니다."],
  ["Zainstaluj black", [ran("pip install black", 1)], "Nie udało się: brak sieci."],
  ["Installeer black", [ran("pip install black", 1)], "Dat lukte niet: er is geen netwerk."],
  ["Installeer black", [ran("pip install black", 1)], "Het is niet gelukt: er is geen netwerk."],
  ["black kur", [ran("pip install black", 1)], "Olmadı: ağ yok."],
  ["Fix add.", [failed("edit"), failed("edit")], "Neither edit matched, so a.py is unchanged."],
  [
    "Fix add.",
    [failed("edit"), failed("edit")],
    "I got stuck: the text I wanted to replace isn't in a.py.",
  ],
  ["Fix add.", [failed("edit"), failed("edit")], "a.py is as it was: both edits bounced."],
  ["Fix add.", [failed("edit"), failed("edit")], "I gave up: a.py does not contain the function."],
  [
    "Fix add.",
    [failed("edit"), failed("edit")],
    "Both attempts to edit a.py failed; the bug is still there.",
  ],
  [
    "Fix add.",
    [failed("edit"), failed("edit")],
    "The bug in a.py is still there. Both edits failed.",
  ],
  ["Fix add.", [failed("edit"), failed("edit")], "Not fixed: both edits of a.py failed."],
  ["Fix add.", [failed("edit"), failed("edit")], "Unfortunately the bug remains; a.py is locked."],
  [
    "Delete the database.",
    [refused("bash")],
    "I was not permitted to delete it; it's still there.",
  ],
  ["Delete the database.", [refused("bash")], "It's still there. The sandbox refused the command."],
  ["Delete the database.", [refused("bash")], "The deletion was blocked by policy."],
  [
    "Delete the database.",
    [refused("bash")],
    "I left it alone, since the rules of this run forbid deleting it.",
  ],
  ["Delete the database.", [refused("bash")], "Blocked: deleting it needs your approval (--yolo)."],
  [
    "Download the dataset from example.com",
    [ran("curl -fsSO https://example.com/d.csv", 6)],
    "I couldn't download it: there is no network in this sandbox. Run hamr with --allow-net, or put d.csv here.",
  ],
  [
    "Installe black",
    [ran("python3 -m pip install black", 1)],
    "Je n'y suis pas arrivé : pip n'atteint aucun index.",
  ],
  [
    "The adder is wrong",
    [failed("edit", "calc.py"), blank("python3 test_calc.py || true")],
    "`add` in calc.py still subtracts: my edit did not match.",
  ],
];

const DONE: readonly Row[] = [
  ["运行测试", [ran("python3 test_a.py", 1)], "测试失败:第 2 行断言错误。"],
  ["run the test", [ran("python3 test_a.py", 1)], "The test failed: an AssertionError in line 2."],
  ["rode o teste", [ran("python3 test_a.py", 1)], "O teste falhou na linha 2."],
  ["lance le test", [ran("python3 test_a.py", 1)], "Le test a échoué à la ligne 2."],
  ["テストを実行して", [ran("python3 test_a.py", 1)], "テストは失敗しました。2 行目です。"],
  [
    "Fix the tests",
    [ran("npm test", 1)],
    "They only fail without a database: run `docker compose up db` first.",
  ],
  ["the adder", [read("calc.py")], "`add` subtracts; shall I change that?"],
  [
    "Why does it crash?",
    [refused("bash"), read("a.py")],
    "It can't open the file: the path is relative.",
  ],
  [
    "Why does it crash?",
    [read("a.py"), failed("edit")],
    "It can't open the file: the path is relative.",
  ],
  [
    "Does the build work offline?",
    [refused("bash"), ran("cargo build --offline", 101)],
    "No: cargo can't find the crate `x` without a network.",
  ],
  [
    "Explain the error in the log",
    [refused("bash"), read("x.log")],
    "The service could not bind port 80: only root may.",
  ],
  [
    "Try installing black and tell me what happens",
    [ran("pip install black", 1)],
    "It fails: there's no network.",
  ],
  ["See if you can push", [refused("bash")], "No: the policy refuses pushes."],
  [
    "Delete the old branch x",
    [ran("git branch -D x", 1)],
    "There is no branch x, so there was nothing to delete.",
  ],
  ["Remove foo.txt", [ran("rm foo.txt", 1)], "foo.txt isn't there (any more)."],
  ["Kill the server", [ran("kill 4711", 1)], "No such process: it isn't running."],
  ["Commit", [ran("git commit -m x", 1)], "Nothing to commit: the tree is clean."],
  [
    "Stop the container web",
    [ran("docker stop web", 1)],
    "There's no container of that name running.",
  ],
  [
    "Install express",
    [ran("npm i express", 1), ran("npm ls express")],
    "express 4.19 is installed already, no need to.",
  ],
  ["Run app.py", [ran("python3 app.py", 1)], "It ends with exit code 1: config.ini is missing."],
  [
    "Reproduce the crash",
    [ran("python3 app.py", 1)],
    "Reproduced: it doesn't check for an empty list.",
  ],
  [
    "Fix the crash",
    [ran("python3 app.py", 1), read("app.py")],
    "That is no crash: app.py exits with 1 on purpose when there's no argument.",
  ],
  ["Run the tests", [ran("npm test", 1)], "3 tests fail: no database is running."],
  ["Build it", [ran("make", 2)], "The build fails: `foo.h` is missing."],
  ["Fetch the page and count the links", [
    ran("curl -s http://localhost:1/", 7),
    ran("curl -s http://localhost:8080/ | grep -c href"),
  ], "There are 12 links; port 1 didn't answer."],
  [
    "Add a test",
    [ran("mkdir tests", 1), edit("tests/a.py")],
    "Added; the folder was there, so mkdir failed.",
  ],
  ["make a folder out", [ran("mkdir out", 1)], "`out` exists already."],
  [
    "Write a haiku about failed pushes",
    [],
    "The push was rejected,\nno luck at all, still alone;\nautumn, main is red.",
  ],
  [
    "Describe what git push does",
    [ran("git push --help", 1)],
    "It sends commits; it fails where the remote has others.",
  ],
];

export const MORE_FAILURES: readonly Answered[] = [
  ...NOT_DONE.map(([task, did, says]) => ({ task, did, says, ends: "not_done" as const })),
  ...DONE.map(([task, did, says]) => ({ task, did, says })),
];
