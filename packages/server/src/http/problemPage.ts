import type { ProblemKind } from '@blindkeep/protocol/problems'

/** The policy of these pages allows it by its hash. */
export const PROBLEM_STYLE = `
:root { color-scheme: light dark }
body { font: 1.1rem/1.6 system-ui, sans-serif; max-width: 38rem; margin: 4rem auto; padding: 0 1.25rem }
code { font-size: .95em; overflow-wrap: anywhere }
`

/** The page of a problem's `type`: what happened, and what to do. All its text comes from the catalog. */
export function problemPage(code: string, { status, title, help }: ProblemKind): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${PROBLEM_STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${help}</p>
<p>Code <code>${code}</code>, HTTP status ${status}.</p>
</main>
</body>
</html>
`
}
