/** Finds the Chromium that the tests drive. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { chromium, type LaunchOptions } from 'playwright-core'

type Program = Pick<LaunchOptions, 'executablePath' | 'channel' | 'env'>

const run = promisify(execFile)
const EXTRACT_TIMEOUT_MS = 120_000
/** What Chromium needs beside itself on a machine that has only Node. */
const LIBRARIES = 'al2023'
const INSTALLED = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** `CHROMIUM`'s program, the packed one on Linux x64, or an installed one. Throws with advice when there is none. */
export async function chromiumProgram(): Promise<Program> {
  const named = process.env.CHROMIUM
  if (named !== undefined && named !== '') {
    if (existsSync(named)) return { executablePath: named }
    throw new Error(`CHROMIUM names ${named}, which does not exist`)
  }
  if (process.platform === 'linux' && process.arch === 'x64') return packedChromium()
  const installed = [chromium.executablePath(), ...INSTALLED].find((path) => existsSync(path))
  if (installed !== undefined) return { executablePath: installed }
  if (process.platform === 'win32') return { channel: 'chrome' }
  throw new Error('These tests need a Chromium: install one, and set CHROMIUM to the path of its program.')
}

/**
 * `@sparticuz/chromium` unpacks itself to fixed names in the directory for temporary files. There two processes race,
 * and another user may have put files first. A child process therefore unpacks it into a directory of ours, and one
 * rename publishes it. A process that loses the race deletes its own.
 */
async function packedChromium(): Promise<Program> {
  const packageDirectory = dirname(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))))
  const { version } = JSON.parse(await readFile(join(packageDirectory, 'package.json'), 'utf8'))
  // In `node_modules`, so that `npm ci` deletes it.
  const cache = join(dirname(dirname(packageDirectory)), '.cache')
  const directory = join(cache, `blindkeep-chromium-${version}`)
  if (!existsSync(directory)) await unpack(cache, directory)
  const env = { ...textEnv(), FONTCONFIG_FILE: join(directory, 'fonts.conf') }
  const libraries = join(directory, LIBRARIES, 'lib')
  return {
    executablePath: join(directory, 'chromium'),
    env: existsSync(libraries) ? { ...env, LD_LIBRARY_PATH: libraries } : env,
  }
}

async function unpack(cache: string, directory: string): Promise<void> {
  await mkdir(cache, { recursive: true })
  const staging = await mkdtemp(join(cache, 'chromium-'))
  const script = "const { default: chromium } = await import('@sparticuz/chromium'); await chromium.executablePath()"
  try {
    await run(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: import.meta.dirname,
      // With the name of this environment the package also unpacks libraries that a machine with only Node lacks.
      env: { ...process.env, TMPDIR: staging, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' },
      timeout: EXTRACT_TIMEOUT_MS,
    })
    if (await starts(join(staging, 'chromium'))) await rm(join(staging, LIBRARIES), { recursive: true })
    await writeFile(join(staging, 'fonts.conf'), fontsConfig(join(directory, 'fonts')))
    await rename(staging, directory)
  } catch (error) {
    if (!existsSync(directory)) throw error
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

/** Prefers the packed typeface, so that lines break at the same words on every machine. */
function fontsConfig(fonts: string): string {
  const prefer = ['system-ui', 'sans-serif'].map(
    (family) => `<alias binding="same"><family>${family}</family><prefer><family>Open Sans</family></prefer></alias>`,
  )
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${fonts}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${fonts}/cache</cachedir>
  ${prefer.join('\n  ')}
</fontconfig>
`
}

async function starts(executablePath: string): Promise<boolean> {
  return run(executablePath, ['--version']).then(
    () => true,
    () => false,
  )
}

function textEnv(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])),
  )
}
