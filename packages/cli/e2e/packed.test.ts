/** The packed command line on Node 22 and 24, and its types in another program. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type RunningServer, startServer } from '../../../testing/startServer.ts'
import { installNode, installPacked, type Packed } from './packed.ts'

const run = promisify(execFile)
const TYPES = fileURLToPath(new URL('../../../node_modules/@types', import.meta.url))
const COMPILER = fileURLToPath(new URL('../../../node_modules/.bin/tsc', import.meta.url))
const PROGRAM = `
import { logIn } from '@blindkeep/client/account'
import { nodeEnvironment } from '@blindkeep/client/node'
import type { Owner } from '@blindkeep/client/owner'
import { parseSize } from '@blindkeep/protocol/byteSizes'

export async function ownerOf(baseUrl: string, email: string, password: string): Promise<Owner | undefined> {
  return (await logIn({ baseUrl, email, password, environment: nodeEnvironment })).owner
}
export const size: number | undefined = parseSize('1 KiB')
// @ts-expect-error the types are there: a size is no text
export const text: string = parseSize('1 KiB')
`

let packed: Packed
let server: RunningServer
before(async () => {
  packed = await installPacked()
  server = await startServer()
})
after(async () => {
  await server.stop()
  await packed.remove()
})

describe('the packages', () => {
  for (const version of ['22', '24'])
    it(`install and run on Node ${version}`, async (context) => {
      const bin = version === '24' ? dirname(process.execPath) : await installNode(packed.directory, version)
      if (bin === undefined) return context.skip('there is no package with this Node for this system')
      const env = {
        PATH: `${bin}${delimiter}${process.env.PATH}`,
        BLINDKEEP_HOME: join(packed.directory, `home-${version}`),
        BLINDKEEP_PASSWORD: 'correct horse battery',
      }
      const blindkeep = async (...args: readonly string[]) => {
        return (await run(packed.bin, args, { env })).stdout
      }
      const { stdout: node } = await run('node', ['--version'], { env })
      assert.ok(node.startsWith(`v${version}.`))
      assert.match(await blindkeep('--version'), /^\d+\.\d+\.\d+/)
      const words = await blindkeep('register', server.url, '--email', `node${version}@example.org`, '--quiet')
      assert.equal(words.trim().split(' ').length, 24)
      const { url } = JSON.parse(await blindkeep('link', 'create', '--json'))
      await writeFile(join(packed.directory, 'file.txt'), 'text')
      assert.match(await blindkeep('drop', url, join(packed.directory, 'file.txt'), '--again'), /1 file has landed/)
    })

  it('have types that a strict program compiles with', async () => {
    await symlink(TYPES, join(packed.directory, 'node_modules', '@types'))
    await writeFile(join(packed.directory, 'program.ts'), PROGRAM)
    const compilerOptions = {
      strict: true,
      module: 'nodenext',
      target: 'es2024',
      lib: ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable'],
      types: ['node'],
      noEmit: true,
    }
    await writeFile(join(packed.directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }))
    await run(COMPILER, ['-p', packed.directory])
  })

  it('bring the licences of what is inside, and need little else', async () => {
    const program = join(packed.directory, 'node_modules', 'blindkeep')
    assert.match(await readFile(join(program, 'dist', 'LICENCES.txt'), 'utf8'), /^commander \d/m)
    const { dependencies } = JSON.parse(await readFile(join(program, 'package.json'), 'utf8'))
    assert.deepEqual(Object.keys(dependencies), ['@napi-rs/keyring'])
  })
})
