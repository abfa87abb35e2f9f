/**
 * P16: `blindkeep drop` of one large file. Compared with `curl -T` of as many bytes to a server that only hashes,
 * writes and syncs them; and with a bare loop that seals and hashes twice, and sends to the same server.
 */
import { fileURLToPath } from 'node:url'
import { fileForLink } from '../commandLine.ts'
import { hasProgram, settleDisk, timeProgram } from '../processes.ts'
import type { Lane, Row } from '../row.ts'
import { BARE_NAMES, removeObjects, startBareUploads } from '../uploadLanes.ts'

const BARE_DROP = fileURLToPath(new URL('../peers/bareDrop.ts', import.meta.url))
const NO_WARNING = '--disable-warning=ExperimentalWarning'

export const terminalDrop: Row = {
  name: 'terminal-drop',
  ids: ['P16'],
  what: 'blindkeep drop of one file of 512 MiB, from the start of the process to its checked receipt',
  async open(options) {
    const mebibytes = options.isQuick ? 2 : 512
    const { file, server, url, blindkeep } = await fileForLink(options, mebibytes)
    const lane = (name: string, measure: () => Promise<number>): Lane => ({
      name,
      async measure() {
        await settleDisk()
        return { value: mebibytes / (await measure()) }
      },
      clear: () => removeObjects(server),
    })
    const drop = lane('blindkeep drop', () => blindkeep('drop', url, file, '--again'))
    const bare = await startBareUploads(options, 'plain')
    const bareUrl = `http://127.0.0.1:${bare.port}`
    const besideBare = (name: string, program: string, words: readonly string[]): Lane => ({
      ...lane(name, () => timeProgram(program, words)),
      clear: bare.clear,
    })
    const loop = besideBare('a bare loop to bare Node', process.execPath, [NO_WARNING, BARE_DROP, bareUrl, file])
    const besideLoop = { id: 'P16', lane: drop, beside: loop }
    if (!hasProgram('curl', ['--version'])) return { unit: 'MiB/s', lanes: [drop, loop], comparisons: [besideLoop] }
    const curl = besideBare(`curl -T to ${BARE_NAMES.plain}`, 'curl', ['--silent', '--fail', '-T', file, `${bareUrl}/`])
    const besideCurl = { id: 'P16', lane: drop, beside: curl, reach: 0.6 }
    return { unit: 'MiB/s', lanes: [drop, curl, loop], comparisons: [besideCurl, besideLoop] }
  },
}
