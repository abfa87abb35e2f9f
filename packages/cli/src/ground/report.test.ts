import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'

const HOSTILE = 'a\u001b[31mb\u009b2J\r\u007f\u202Efdp.exe'

/** A forgotten call: nothing was made safe before. */
const script = `
const { createReport } = await import(${JSON.stringify(new URL('./report.ts', import.meta.url).href)})
const text = ${JSON.stringify(HOSTILE)}
const report = createReport({ json: process.argv[1] === 'json' })
report.result(text, { text })
report.answer(text, { text })
report.aside(text)
report.waiting(text, { text })
report.problem(text, { text })
report.list([text], [{ cells: [text], fact: { text } }], text)
report.list([text], [], text)`

async function printed(how: string) {
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script, how]
  const { stdout, stderr } = await promisify(execFile)(process.execPath, flags)
  return { stdout, all: stdout + stderr }
}

describe('what the command line prints', () => {
  for (const how of ['text', 'json'])
    it(`has no control of a terminal, whatever it is given (${how})`, async () => {
      const { stdout, all } = await printed(how)
      assert.doesNotMatch(all, /(?!\n)[\p{Cc}\p{Bidi_Control}]/u)
      const lines = stdout.trimEnd().split('\n')
      if (how === 'json') for (const line of lines) assert.deepEqual(JSON.parse(line), { text: HOSTILE })
      else assert.ok(lines.length >= 4)
    })
})
