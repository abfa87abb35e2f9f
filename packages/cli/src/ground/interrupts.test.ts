import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { finished } from '../testing/world.ts'

/** Draws progress as on a terminal, whose cursor is hidden meanwhile. */
const WORK = `
process.stderr.isTTY = true
const { interruptible } = await import(${JSON.stringify(new URL('./interrupts.ts', import.meta.url).href)})
const { createReport } = await import(${JSON.stringify(new URL('./report.ts', import.meta.url).href)})
const { once } = await import('node:events')
await interruptible(async (signal) => {
  const going = setInterval(() => undefined, 1000)
  createReport({}).progress(() => ['under way'])
  const stopped = once(signal, 'abort')
  console.log('begun')
  await stopped
  console.log('stopping')
  if (process.argv[1] === 'hangs') await once(new EventTarget(), 'never')
  clearInterval(going)
  console.log('ended in order')
})`

function start(...args: readonly string[]) {
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', WORK]
  return spawn(process.execPath, [...flags, ...args], { stdio: 'pipe' })
}

describe('work that can be interrupted', () => {
  it('ends in order at the first Ctrl-C, also while progress is drawn', { timeout: 60_000 }, async () => {
    const child = start()
    const outcome = finished(child)
    await once(child.stdout, 'data')
    child.kill('SIGINT')
    const { status, stdout } = await outcome
    assert.deepEqual([status, stdout], [0, 'begun\nstopping\nended in order\n'])
  })

  it('ends at once at the second', { timeout: 60_000 }, async () => {
    const child = start('hangs')
    const outcome = finished(child)
    await once(child.stdout, 'data')
    child.kill('SIGINT')
    await once(child.stdout, 'data')
    child.kill('SIGINT')
    assert.equal((await outcome).status, 130)
  })
})
