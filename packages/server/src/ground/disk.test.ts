import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'

const run = promisify(execFile)
const NO_BLOCKS = `statfs:poke_exit=@arg2=${'00'.repeat(120)}`
const under = (injected: string) => ['strace', '-f', '-qq', '-o', '/dev/null', '-e', `inject=${injected}`] as const
const missing = await run('strace', [...under(NO_BLOCKS).slice(1), 'true']).then(
  () => false,
  () => 'needs strace',
)

/** What a process prints whose system calls answer so. */
async function printed(injected: string, script: string): Promise<string> {
  const [program, ...args] = under(injected)
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script]
  return (await run(program, [...args, ...node])).stdout.trim()
}
const moduleAt = (path: string) => JSON.stringify(new URL(path, import.meta.url).href)

describe('a disk that lacks what no promise depends on', { skip: missing }, () => {
  for (const injected of ['statfs:error=ENOSYS', 'statfs:error=EOPNOTSUPP', NO_BLOCKS])
    it(`counts as having room, if it does not say how much (${injected.slice(0, 16)})`, async () => {
      const script = `console.log(await (await import(${moduleAt('./disk.ts')})).freeBytesBeside('/tmp/x'))`
      assert.equal(await printed(injected, script), 'Infinity')
    })

  it('keeps a new master secret without hard links, and no other file', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-disk-'))
    try {
      const path = join(directory, 'master.secret')
      const script = `
        const { readMasterSecret } = await import(${moduleAt('../adapters/keyring/masterSecret.ts')})
        const read = (createIfMissing) => readMasterSecret({ path: ${JSON.stringify(path)}, createIfMissing })
        const made = await read(true)
        console.log(made.length, made.equals(await read(false)))`
      assert.equal(await printed('?link,linkat:error=EPERM', script), '32 true')
      assert.deepEqual(await readdir(directory), ['master.secret'])
    } finally {
      await rm(directory, { recursive: true })
    }
  })
})
