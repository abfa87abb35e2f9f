import assert from 'node:assert/strict'
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { appendLines, linesOf } from './lines.ts'
import { prefixStore } from './prefixes.ts'

const home = await mkdtemp(join(tmpdir(), 'blindkeep-lines-'))
after(() => rm(home, { recursive: true, force: true }))

async function all(path: string): Promise<readonly string[]> {
  const lines: string[] = []
  for await (const line of linesOf(path)) lines.push(line)
  return lines
}

describe('a file of lines', () => {
  it('loses the half line of a power cut, however long it is, and nothing before it', async () => {
    const path = join(home, 'long', 'lines')
    const append = (...lines: readonly string[]) => appendLines({ home, path, doing: 'tests' }, lines)
    const long = 'x'.repeat(200_000)
    await append('one', long)
    await appendFile(path, 'y'.repeat(150_000))
    assert.deepEqual(await all(path), ['one', long])
    await append('two')
    assert.deepEqual(await all(path), ['one', long, 'two'])
  })

  it('is empty if there is none, or only half a line', async () => {
    const path = join(home, 'half')
    assert.deepEqual(await all(path), [])
    await appendFile(path, 'half')
    assert.deepEqual(await all(path), [])
  })
})

describe('kept beginnings', () => {
  const [a, b, c] = ['aa', 'bb', 'cc'].map((text) => text.repeat(32))

  it('are found again by another process, each kept once', async () => {
    assert.ok(a !== undefined && b !== undefined && c !== undefined)
    const store = prefixStore(home, join(home, 'profile'))
    await Promise.all([store.save(a, b), store.save(b, c), store.save(a, b)])
    await store.save(a, b)
    const another = prefixStore(home, join(home, 'profile'))
    assert.deepEqual([await another.load(a), await another.load(b), await another.load(c)], [b, c, undefined])
    await another.save(a, b)
    assert.equal((await readFile(join(home, 'profile', 'beginnings'), 'utf8')).split('\n').length, 3)
  })
})
