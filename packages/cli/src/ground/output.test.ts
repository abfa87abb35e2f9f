import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const WORK = `
const { tellLostOutput } = await import(${JSON.stringify(new URL('./output.ts', import.meta.url).href)})
tellLostOutput()
process.stdout.write('an address that is shown once\\n')
process.stdout.write('more\\n')
process.exitCode = Number(process.argv[1])`

/** `output`: a descriptor, or a pipe whose reader has disconnected. */
async function run(status: number, output: number | 'pipe') {
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', WORK, String(status)]
  const child = spawn(process.execPath, flags, { stdio: ['ignore', output, 'pipe'] })
  child.stdout?.destroy()
  assert.ok(child.stderr)
  const [stderr, [exit]] = await Promise.all([text(child.stderr), once(child, 'close')])
  return { exit, stderr }
}

describe('standard output', () => {
  it('that cannot be written is reported once, and the call has not done everything', { timeout: 60_000 }, async () => {
    const readOnly = await open(fileURLToPath(import.meta.url), 'r')
    try {
      const { exit, stderr } = await run(0, readOnly.fd)
      assert.equal(exit, 1)
      assert.match(stderr, /^blindkeep: standard output cannot be written: the system answers EBADF\. [^\n]+\n$/)
      assert.equal((await run(3, readOnly.fd)).exit, 3)
    } finally {
      await readOnly.close()
    }
  })

  it('whose reader has disconnected is no failure', { timeout: 60_000 }, async () => {
    assert.deepEqual(await run(0, 'pipe'), { exit: 0, stderr: '' })
  })
})
