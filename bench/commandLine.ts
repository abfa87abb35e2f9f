/** `blindkeep` as people get it: the bundle, with the settings and flags of the first line of `bin.mjs`. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nodeEnvironment } from '@blindkeep/client/node'
import { newOwner } from '../testing/people.ts'
import { bundled } from '../tools/bundle.ts'
import { startBlindkeep, timeProgram, writeRandom } from './processes.ts'
import type { RowOptions } from './row.ts'

const BIN = fileURLToPath(new URL('../packages/cli/bin.mjs', import.meta.url))

/** Seconds that a call of `blindkeep` took, with its start. Throws when it fails. */
export type CommandLine = (...words: readonly string[]) => Promise<number>

/** `home`: where the program keeps what it knows, and the password of its account. */
export async function commandLineAt(home: string): Promise<CommandLine> {
  const main = join(await bundled('cli'), 'main.js')
  const line = (await firstLineOf(BIN)).map((word) => (word === 'node' ? process.execPath : word))
  const settings = [`BLINDKEEP_HOME=${home}`, 'BLINDKEEP_PASSWORD=a long sentence of a benchmark']
  return (...words) => timeProgram('env', [...settings, ...line, main, ...words])
}

/** A file of random bytes, the link of a new server that takes it, and the command line. */
export async function fileForLink(options: RowOptions, mebibytes: number) {
  const file = join(options.directory, 'file')
  await writeRandom(file, mebibytes)
  const server = await startBlindkeep(options)
  const owner = await newOwner(server.url, nodeEnvironment)
  const { url } = await owner.createLink({ caps: { maxTotalBytes: 'unlimited' } })
  return { file, server, url, blindkeep: await commandLineAt(join(options.directory, 'home')) }
}

/** The words behind `#!/usr/bin/env -S`. */
async function firstLineOf(program: string): Promise<readonly string[]> {
  const [line = ''] = (await readFile(program, 'utf8')).split('\n')
  return line.split(' ').slice(2)
}
