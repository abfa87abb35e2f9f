/**
 * The browser in which local pages open: Chromium or Firefox, started by this program. Others do not keep names below
 * `localhost` on the machine: they would ask the network who that is, and show what answers.
 */
import { spawn } from 'node:child_process'
import { UsageError } from '../ground/exits.ts'
import { findProgram } from '../ground/programs.ts'

/** By the names that systems give them. What is based on Chromium resolves as Chromium does. */
const KNOWN = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'firefox',
  'firefox-esr',
]
const PLACES: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: [
    '/Applications/Firefox.app/Contents/MacOS/firefox',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  win32: [
    'C:\\Program Files\\Mozilla Firefox\\firefox.exe',
    'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  ],
}

/**
 * The program of a browser. `wanted`: its name or path, as the person gave it. Undefined where none is installed.
 * Throws `UsageError` for another browser.
 */
export async function findBrowser(wanted?: string): Promise<string | undefined> {
  if (wanted !== undefined && !isKnown(wanted))
    throw new UsageError(
      `${wanted} is neither Chromium nor Firefox. Only these two keep the address of local pages on this machine. Name one of them, or call with --no-open and open the address there.`,
    )
  for (const name of wanted === undefined ? [...KNOWN, ...(PLACES[process.platform] ?? [])] : [wanted]) {
    const found = await findProgram(name)
    if (found !== undefined) return found
  }
  return undefined
}

function isKnown(wanted: string): boolean {
  const name =
    wanted
      .split(/[\\/]/)
      .at(-1)
      ?.toLowerCase()
      .replace(/\.exe$/, '')
      .replaceAll(' ', '-') ?? ''
  return KNOWN.includes(name)
}

/**
 * `address`: no secret is in it, as every user of the machine may read arguments. `onFailed`: it did not start, or
 * ended with a failure, as where there is no screen.
 */
export function startBrowser(program: string, address: string, onFailed: () => void): void {
  const child = spawn(program, [address], { detached: true, stdio: 'ignore' })
  child.on('error', onFailed)
  child.on('exit', (status) => {
    if (status !== 0) onFailed()
  })
  child.unref()
}
