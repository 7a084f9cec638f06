// Runs sessions on MicroPython, each in an interpreter of its own: `node run.mjs MICROPYTHON_MJS < JSON > JSON`.
// A session is {name, heap_bytes, files: {path: text or {base64}}, steps}; its outcome {output, error, result}, where `result` is
// the global of that name that the last step left behind. This build of MicroPython collects garbage between steps only.
import { readFileSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

// What an older Emscripten writes takes a computer with `fetch` for a browser, and looks for two names that a module has not.
delete globalThis.fetch;
globalThis.require = createRequire(import.meta.url);
globalThis.__dirname = process.argv[2].slice(0, process.argv[2].lastIndexOf("/"));

// This build checks at every call through the function table that the table is as before, which takes nearly half of the
// time. Nothing writes to the table once it is made, so each entry is looked up once.
const lookUp = WebAssembly.Table.prototype.get;
WebAssembly.Table.prototype.get = function (index) {
  this.found ??= [];
  return (this.found[index] ??= lookUp.call(this, index));
};

const { loadMicroPython } = await import(pathToFileURL(process.argv[2]));
const outcomes = {};
for (const session of JSON.parse(readFileSync(0, "utf8"))) {
  const lines = [];
  const print = (line) => {
    lines.push(line);
    writeSync(2, line + "\n"); // at once, for whoever gives up waiting
  };
  const outcome = { output: "", error: null, result: null };
  try {
    const python = await loadMicroPython({
      heapsize: session.heap_bytes,
      pystack: 64 * 1024,
      stdout: print,
      stderr: print,
      linebuffer: true,
    });
    for (const [path, data] of Object.entries(session.files)) {
      python.FS.mkdirTree(path.slice(0, path.lastIndexOf("/")) || "/");
      python.FS.writeFile(path, data.base64 === undefined ? data : Buffer.from(data.base64, "base64"));
    }
    for (const step of session.steps) python.runPython(step);
    outcome.result = python.globals.get("result") ?? null;
  } catch (error) {
    outcome.error = String(error.message ?? error).slice(0, 20000);
  }
  outcome.output = lines.join("\n");
  outcomes[session.name] = outcome;
}
process.stdout.write(JSON.stringify(outcomes));
