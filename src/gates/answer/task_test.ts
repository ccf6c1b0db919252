import assert from "node:assert/strict";
import { asked_for, type AskedFor } from "./task.ts";

Deno.test("a task tells what kind of answer it wants, or nothing", () => {
  const cases: Record<string, readonly (keyof AskedFor)[]> = {
    "Do it.": [],
    "Do the task in TASK.md": ["work"],
    "Read TASK.md and do it": ["work"],
    "Do the tasks pass?": ["question"],
    "Workers leak memory. Fix it.": ["change", "repair", "work"],
    "Wofür ist add da": ["question", "theory"],
    "Highlights of 1.2": [],
    "Have a subagent look at it.": [],
    "Fix add in a.py.": ["change", "repair", "work"],
    "Can you fix add in a.py": ["change", "repair", "work"],
    "Create a branch called dev.": ["change", "repair", "work"],
    "Create a function that reverses a string": ["change", "work"],
    "What does add do?": ["question", "theory"],
    "Can you explain the change in a.py": ["question", "theory"],
    "Could you review the branch": ["question", "theory"],
    "Review a.py and fix it": ["change", "repair", "work"],
    "Can you show the callers, and remove them": ["change", "repair", "work"],
    "Is it tested": ["question"],
    "Do the tests pass": ["question"],
    "Explain a.py": ["question", "theory"],
    "Was macht add?": ["question", "theory"],
    "Make a plan for a cache": ["plan"],
    "Make a haiku about rain": ["words"],
    "Make the loader parallel": ["work"],
    "Upgrade lodash": ["work"],
    "How would you add caching?": ["plan", "question", "theory"],
    "hello": ["greeting"],
    "Hello there!": ["greeting"],
    "Hello World in C, please, in hello.c": [],
    "ok": ["greeting"],
    "Reply with exactly: DONE": ["echo"],
    "Write the notes to notes.md": ["change", "repair", "work"],
    "Fix a.py, but don't change b.py": ["change", "repair", "work"],
    "Give me the command to delete a branch": ["question", "theory"],
    "Write an email to Sam": ["words"],
    "Translate 'hello' into German": ["words"],
    "": [],
  };
  for (const [task, expected] of Object.entries(cases)) {
    const found = Object.entries(asked_for(task)).filter(([, yes]) => yes).map(([name]) => name);
    assert.deepEqual(found.sort(), [...expected].sort(), task);
  }
});
