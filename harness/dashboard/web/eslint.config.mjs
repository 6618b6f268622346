// The rules of the page's scripts; .pre-commit-config.yaml runs them.
const browser = [
  "addEventListener", "Blob", "Chart", "DecompressionStream", "document", "fetch",
  "getComputedStyle", "getSelection", "history", "innerWidth", "localStorage", "location",
  "matchMedia", "navigator", "performance", "requestAnimationFrame", "ResizeObserver",
  "sessionStorage", "setTimeout", "TextDecoder", "URLSearchParams", "window",
];

export default [
  {
    files: ["**/*.js"],
    languageOptions: {
      ecmaVersion: 2022,
      sourceType: "module",
      globals: Object.fromEntries(browser.map((name) => [name, "readonly"])),
    },
    linterOptions: {reportUnusedDisableDirectives: "error"},
    rules: {
      "array-callback-return": "error",
      "eqeqeq": "error",
      "no-dupe-keys": "error",
      "no-implied-eval": "error",
      "no-shadow": "error",
      "no-undef": "error",
      "no-unreachable": "error",
      "no-unsafe-finally": "error",
      "no-unused-vars": "error",
      "no-use-before-define": ["error", {functions: false, variables: false}],
      "no-var": "error",
      "prefer-const": "error",
    },
  },
];
