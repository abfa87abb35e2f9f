import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { createLog } from './log.ts'

function logged(error: unknown): Readonly<Record<string, unknown>> {
  const lines: string[] = []
  createLog('info', { write: (line) => void lines.push(line) }).error('failed', { error })
  return JSON.parse(lines.join('')).error
}

describe('log', () => {
  it('records the type, message, causes and codes of an error', () => {
    const cause = new TypeError('the disk is away')
    const entry = logged(Object.assign(new RangeError('not kept', { cause }), { code: 'EIO', errcode: 10 }))
    assert.equal(entry.type, 'RangeError')
    assert.equal(entry.message, 'not kept: the disk is away')
    assert.match(String(entry.stack), /log\.test\.ts/)
    assert.deepEqual([entry.code, entry.errcode], ['EIO', 10])
  })

  it('records nothing of a row that a database refused, in any error', () => {
    const row = { detail: 'Key (opaque_id)=(0123) already exists.', parameters: ['0123'], table: 'links' }
    const refused = Object.assign(new Error('duplicate key value'), row)
    for (const error of [refused, new Error('not kept', { cause: refused }), new AggregateError([refused], 'several')])
      assert.doesNotMatch(JSON.stringify(logged(error)), /0123/)
  })

  it('moves no cursor of the terminal that shows it, and keeps what was said', () => {
    const lines: string[] = []
    const said = 'a\u001b[31mb\u009b2J\u202Efdp.exe'
    createLog('info', { write: (line) => void lines.push(line) }).warn('said', { said })
    assert.doesNotMatch(lines.join('').trimEnd(), /[\p{Cc}\p{Bidi_Control}]/u)
    assert.equal(JSON.parse(lines.join('')).said, said)
  })

  it('hands over warnings and errors at once, with the lines before them; other lines together', () => {
    const written: string[] = []
    const log = createLog('info', { write: (lines) => void written.push(lines) })
    log.info('answered')
    assert.deepEqual(written, [])
    log.warn('odd')
    log.error('failed')
    const events = written
      .join('')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).msg)
    assert.deepEqual(events, ['answered', 'odd', 'failed'])
  })

  it('gives a line the time of its event, not of its writing', () => {
    const written: string[] = []
    const log = createLog('info', { write: (lines) => void written.push(lines) })
    const before = Date.now()
    log.info('answered')
    const after = Date.now()
    while (Date.now() <= after);
    log.warn('odd')
    const { time } = JSON.parse(written.join('').split('\n', 1)[0] ?? '')
    assert.ok(before <= time && time <= after)
  })

  const endings = {
    'that exits': 'process.exit(0)',
    'that crashes': "throw new Error('a surprise')",
    'with an unhandled rejection': "Promise.reject(new Error('a surprise'))",
    'that has nothing left to do': '',
    'that exits during a write': 'setTimeout(() => { log.info("line"); process.exit(0) }, 12)',
  }
  for (const [name, ending] of Object.entries(endings))
    it(`keeps every line of a process ${name}`, () => {
      const program = `
        const { createLog } = await import(${JSON.stringify(new URL('log.ts', import.meta.url).href)})
        const log = createLog('info')
        for (let line = 0; line < 999; line += 1) log.info('line')
        log.error('line')
        for (let line = 0; line < 5; line += 1) log.info('line')
        ${ending}`
      const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
      const lines = stderr.split('\n').filter((line) => line.includes('"msg":"line"'))
      assert.equal(lines.length, ending.includes('log.info') ? 1006 : 1005)
      for (const line of lines) JSON.parse(line)
    })
})
