// The sources of data pages: the service that served this page, or files beside it.
//
// Both give the same JSON for the same page (docs/reference/dashboard.md). Loaded pages are kept until
// the browser loads the whole site again.

import {queryOf} from "./route.js";

const TOKEN = "vintage-token";

export class TokenNeeded extends Error {}
export class NotKept extends Error {} // The static report leaves it out.

class ServiceSource {
  isService = true;

  get token() {
    return sessionStorage.getItem(TOKEN) ?? "";
  }
  set token(text) {
    if (text) sessionStorage.setItem(TOKEN, text);
    else sessionStorage.removeItem(TOKEN);
  }

  async load(page, parameters) {
    // Percent-encoding only: the service reads a plus as a plus.
    const query = queryOf(parameters).replaceAll("+", "%20");
    const headers = this.token ? {Authorization: `Bearer ${this.token}`} : {};
    const options = {headers, credentials: "omit", cache: "no-store"};
    const response = await fetch(`v1/dashboard/${page}${query}`, options);
    if (response.ok) return response.json();
    const problem = await response.json().catch(() => null);
    const message = problem?.error?.message ?? `the service answered ${response.status}`;
    if (response.status === 401 || response.status === 403) throw new TokenNeeded(message);
    throw new Error(problem?.error?.next ? `${message}; ${problem.error.next}` : message);
  }
}

// Browsers do not fetch() files from file://, but run scripts from there: each page is a script
// that passes its data on under its own name.
class FileSource {
  isService = false;
  #waiting = new Map();

  constructor() {
    window.vintageDashboard = {
      take: (name, data) => this.#waiting.get(name)?.resolve(data),
    };
  }

  async load(page, parameters) {
    const name = fileName(page, parameters);
    return new Promise((resolve, reject) => {
      this.#waiting.set(name, {resolve});
      const missing = () =>
        reject(new NotKept("this report does not hold it; the served dashboard does"));
      loadScript(`data/${name}.js`).catch(missing);
    });
  }
}

// Names of builds may contain any characters; files are named by positions in the overview's lists.
function fileName(page, parameters) {
  const {build, primitive, producer, artifact, golden, run, after} = parameters;
  const place = (list, name) => {
    const found = overview[list].findIndex((one) => (one.name ?? one.id ?? one) === name);
    if (found < 0) throw new NotKept(`this archive has no ${name} among its ${list}`);
    return found;
  };
  const parts = [page];
  // Builds that were measured may be gone from the list.
  if (page === "speed-pair") return [page, plain(build), plain(parameters.beside)].join("-");
  if (build !== undefined) parts.push("b" + place("builds", build));
  if (primitive !== undefined) parts.push("p" + place("primitives", primitive));
  if (producer !== undefined) parts.push("x" + place("producers", producer));
  if (artifact !== undefined) parts.push(artifact.slice(0, 16));
  if (page === "pair")
    parts.push((golden ?? "").slice(0, 8), plain(parameters.platform), plain(parameters.mode));
  if (run !== undefined) parts.push("r" + place("runs", run));
  if (after) parts.push("after" + after);
  return parts.join("-");
}

const plain = (text = "") =>
  text.replace(/[^A-Za-z0-9]/g, (letter) => "_" + letter.charCodeAt(0).toString(16));

let policy;
// Scripts are loaded only from this page's own addresses.
function ownScript(path) {
  policy ??= window.trustedTypes?.createPolicy("vintage", {
    createScriptURL: (text) => {
      if (/^(data|dashboard)\/[\w.-]+\.js$/.test(text)) return text;
      throw new TypeError(`${text} is not a script of this page`);
    },
  });
  return policy ? policy.createScriptURL(path) : path;
}

export function loadScript(path) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = ownScript(path);
    script.onload = () => {
      script.remove();
      resolve();
    };
    script.onerror = () => reject(new Error(`${path} cannot be loaded`));
    document.head.append(script);
  });
}

const kind = document.querySelector('meta[name="vintage-data"]').content;
export const source = kind === "files" ? new FileSource() : new ServiceSource();

let overview = null;
const kept = new Map();

// One page of data; loads it at most once.
export function load(page, parameters = {}) {
  const key = JSON.stringify([page, parameters]);
  if (!kept.has(key)) {
    const loading = source.load(page, parameters);
    kept.set(key, loading);
    loading.catch(() => kept.delete(key));
  }
  return kept.get(key);
}

export async function loadOverview() {
  overview = await load("overview");
  return overview;
}

export function forget() {
  kept.clear();
  overview = null;
}

// Loads a page for each of `names`, two at a time, and shows each as it arrives; stops once
// `stillWanted` is false. Calls `failed` for pages that cannot be loaded.
export async function loadEach(names, loadOne, show, stillWanted, failed) {
  const rest = [...names];
  const lane = async () => {
    while (rest.length > 0 && stillWanted()) {
      const name = rest.shift();
      try {
        const page = await loadOne(name);
        if (stillWanted()) show(name, page);
      } catch (error) {
        if (!stillWanted()) return;
        failed(name, error);
        if (error instanceof TokenNeeded) return;
      }
    }
  };
  await Promise.all([lane(), lane()]);
}
