/** tusd, the tus reference server in Go: built from the Go module proxy, once a machine. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../testing/startServer.ts'
import { hasProgram, startProgram } from './processes.ts'
import type { Lane, RowOptions } from './row.ts'
import { removeFiles, type UploadLoad } from './uploadLanes.ts'
import { sendAll, tusUploads } from './uploads.ts'

const VERSION = 'v2.8.0'
const BUILT = join(tmpdir(), `blindkeep-tusd-${VERSION}`)
const BUILD_TIMEOUT_MS = 300_000

/** Undefined where there is no Go, and in a quick run, which would only wait for the compiler. */
export async function tusdLane(options: RowOptions, { clients, files, units }: UploadLoad): Promise<Lane | undefined> {
  if (options.isQuick || !(await build())) return undefined
  const directory = join(options.directory, 'tusd')
  await mkdir(directory)
  const port = await freePort()
  const parameters = ['-host', '127.0.0.1', '-port', String(port), '-base-path', '/files', '-upload-dir', directory]
  await startProgram(join(BUILT, 'tusd'), [...parameters, '-verbose=false'], { port, atEnd: options.atEnd })
  return {
    name: `tusd ${VERSION}, file store`,
    async measure() {
      const { seconds, loadBusy } = await sendAll(files, { port, clients, protocols: [tusUploads] })
      return { value: units / seconds, loadBusy }
    },
    clear: () => removeFiles(directory),
  }
}

async function build(): Promise<boolean> {
  if (existsSync(join(BUILT, 'tusd'))) return true
  if (!hasProgram('go', ['version'])) return false
  const env = { ...process.env, GOBIN: BUILT }
  const built = promisify(execFile)('go', ['install', `github.com/tus/tusd/v2/cmd/tusd@${VERSION}`], {
    env,
    timeout: BUILD_TIMEOUT_MS,
  })
  return built.then(
    () => true,
    () => false,
  )
}

/** For a row that has no such lane. */
export function remarksOnTusd(lane: Lane | undefined, { isQuick }: RowOptions): readonly string[] {
  return lane === undefined && !isQuick ? ['tusd could not be built: there is no Go, or no Go module proxy'] : []
}
