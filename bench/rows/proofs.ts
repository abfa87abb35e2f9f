/**
 * P19 and P20: proofs about files, checked and saved by `blindkeep`, each call with the start of the process. A check
 * seals the file again; saving reads each sealed file from the server, seals it, and checks the proof.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { commandLineAt, fileForLink } from '../commandLine.ts'
import { startBlindkeep, timeProgram } from '../processes.ts'
import type { Row } from '../row.ts'

export const proofCheck: Row = {
  name: 'proof-check',
  ids: ['P19'],
  what: 'blindkeep receipt check of a proof and its file of 100 MiB, from the start of the process',
  async open(options) {
    const mebibytes = options.isQuick ? 2 : 100
    const { file, url, blindkeep } = await fileForLink(options, mebibytes)
    await blindkeep('drop', url, file, '--proof')
    const lane = (name: string, seconds: () => Promise<number>) => ({
      name,
      measure: async () => ({ value: mebibytes / (await seconds()) }),
    })
    const check = lane('receipt check', () => blindkeep('receipt', 'check', `${file}.blindkeep-proof.json`, file))
    const sum = lane('sha256sum', () => timeProgram('sha256sum', [file]))
    return { unit: 'MiB/s', lanes: [check, sum], comparisons: [{ id: 'P19', lane: check, beside: sum }] }
  },
}

export const proofsSaved: Row = {
  name: 'proofs-saved',
  ids: ['P20'],
  what: 'blindkeep receipts --proof of 100 files of 4 KiB, from the start of the process',
  async open(options) {
    const count = options.isQuick ? 2 : 100
    const [folder, to] = [join(options.directory, 'files'), join(options.directory, 'saved')]
    await mkdir(folder)
    const names = Array.from({ length: count }, (_, index) => `${index}.bin`)
    for (const name of names) await writeFile(join(folder, name), randomBytes(4096))
    const server = await startBlindkeep(options)
    const blindkeep = await commandLineAt(join(options.directory, 'home'))
    const words = join(options.directory, 'words')
    await blindkeep('register', server.url, '--email', 'ada@example.org', '--words-to', words)
    await blindkeep('album', 'create', 'Files')
    await blindkeep('upload', folder, '--album', 'Files')
    const named = names.map((name) => `files/${name}`)
    const lane = (name: string, seconds: () => Promise<number>) => ({
      name,
      measure: async () => ({ value: count / (await seconds()) }),
      clear: () => rm(to, { recursive: true, force: true }),
    })
    const proofs = lane('receipts --proof', () => blindkeep('receipts', ...named, '--proof', '--to', to))
    const receipts = lane('receipts --check --to', () => blindkeep('receipts', ...named, '--check', '--to', to))
    const paths = names.map((name) => join(folder, name))
    const sums = lane('sha256sum, a process each', async () => {
      let seconds = 0
      for (const path of paths) seconds += await timeProgram('sha256sum', [path])
      return seconds
    })
    return {
      unit: '/s',
      lanes: [proofs, receipts, sums],
      comparisons: [receipts, sums].map((beside) => ({ id: 'P20', lane: proofs, beside })),
    }
  },
}
