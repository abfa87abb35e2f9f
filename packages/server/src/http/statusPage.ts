/** The operator's page: a server at a glance, without scripts, names or addresses of persons. */
import { createHash } from 'node:crypto'
import { ALARMS, type Alarm, alarmsIn } from '../domain/closing/alarms.ts'
import type { ServerStatus } from '../domain/closing/serverStatus.ts'
import { statusFacts } from '../domain/closing/statusText.ts'
import { minuteText } from '../ground/minuteText.ts'

const STYLE = `
:root { color-scheme: light dark }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem }
h2 { font-size: 1.15rem; margin-top: 1.5rem }
table { border-collapse: collapse; width: 100% }
th, td { text-align: start; vertical-align: top; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid #8885 }
th { font-weight: 600; width: min(11rem, 35%) }
td { overflow-wrap: anywhere }
ul { padding: 0; list-style: none }
li { border-inline-start: .3rem solid #888; padding: .1rem 0 .1rem .75rem; margin: .75rem 0 }
.critical { border-color: #c22 }
.warning { border-color: #b80 }
p { margin: .25rem 0 }
table + p { margin-top: .75rem }
input, button { font: inherit; padding: .4rem .6rem; max-width: 100%; box-sizing: border-box }
label { display: block; margin-bottom: .25rem }
`

export const STATUS_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
}

export function statusPage(status: ServerStatus): string {
  const alarms = alarmsIn(status)
  const facts = statusFacts(status).map(
    ([name, text]) => `<tr><th scope="row">${escaped(name)}</th><td>${escaped(text)}</td></tr>`,
  )
  return page(`<h2>To look at</h2>
${alarms.length === 0 ? '<p>Nothing.</p>' : `<ul>\n${alarms.map(alarmItem).join('\n')}\n</ul>`}
<h2>What is there</h2>
<table>
${facts.join('\n')}
</table>
<p>As it was at ${minuteText(status.at)}. It is read at most once a minute.</p>`)
}

function alarmItem({ kind, what }: Alarm): string {
  const { severity, todo } = ALARMS[kind]
  return `<li class="${severity}"><p><strong>${severity}:</strong> ${escaped(what)}</p><p>${withCommands(todo)}</p></li>`
}

/** What is between backticks as code. */
function withCommands(text: string): string {
  return escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')
}

/** While the rows cannot be read. @param unready why /readyz is 503 */
export function unreadPage(unready: readonly string[]): string {
  const reasons = unready.length === 0 ? 'The log says why.' : `Not ready: ${unready.join(', ')}.`
  return page(`<p>The rows could not be read. ${escaped(reasons)}</p>`)
}

/** Asks for the token. A form's POST has it in no address, history or log. */
export function tokenPage({ isWrong }: { readonly isWrong: boolean }): string {
  return page(`<form method="post">
${isWrong ? '<p role="alert">That is not the token.</p>' : ''}
<label for="token">METRICS_TOKEN</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
<button>Show</button>
</form>`)
}

function page(body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Blindkeep: status</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Status of the server</h1>
${body}
</main>
</body>
</html>
`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
