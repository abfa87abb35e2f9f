/**
 * Leads a browser on like a redirect, for WebKit: it clears no storage for the answer of a redirect, and no service
 * worker at all (decisions/moving.md). Only a script can take the fragment along, which may be a key.
 */
import { createHash } from 'node:crypto'

const LEAD = `const to = new URL(document.querySelector('a').href)
to.hash ||= location.hash
const lead = () => location.replace(to)
const end = async () => {
  for (const worker of await navigator.serviceWorker.getRegistrations()) await worker.unregister()
}
setTimeout(lead, 3000)
end().then(lead, lead)`

export const MOVED_PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; script-src 'sha256-${createHash('sha256').update(LEAD).digest('base64')}'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
}

/** For people whose browser runs no scripts, in the languages of the pages. */
export function movedPage(to: string): string {
  const address = to.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${new URL(to).host}</title>
</head>
<body>
<p>This server has moved. <span lang="de">Dieser Server ist umgezogen.</span></p>
<p><a href="${address}">${new URL(to).host}</a></p>
<script>${LEAD}</script>
</body>
</html>
`
}
