import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { CODE_DIGITS, createPairing } from './pairing.ts'

function begun() {
  const codes: string[] = []
  let nowMs = 0
  const pairing = createPairing({ elapsedMs: () => nowMs, randomBytes, onCode: (code) => codes.push(code) })
  const wrong = (code = codes.at(-1) ?? '') => `${(Number(code[0]) + 1) % 10}${code.slice(1)}`
  return { pairing, codes, wrong, pass: (ms: number) => (nowMs += ms) }
}

describe('pairing', () => {
  it('gives a token for the code that is shown, once', () => {
    const { pairing, codes } = begun()
    assert.equal(pairing.ask(), true)
    const [code = ''] = codes
    assert.match(code, new RegExp(`^[0-9]{${CODE_DIGITS}}$`))
    const answer = pairing.try(code)
    assert.ok(answer.is === 'paired')
    assert.equal(pairing.accepts(answer.token), true)
    assert.deepEqual(pairing.try(code), { is: 'over' })
  })

  it('accepts no token before, and no other one after', () => {
    const { pairing, codes } = begun()
    assert.equal(pairing.accepts(undefined), false)
    assert.equal(pairing.accepts(''), false)
    pairing.ask()
    assert.equal(pairing.try(codes[0] ?? '').is, 'paired')
    for (const token of [undefined, '', 'x', codes[0]]) assert.equal(pairing.accepts(token), false)
  })

  it('has three tries for a code', () => {
    const { pairing, codes, wrong } = begun()
    pairing.ask()
    const [code = ''] = codes
    assert.deepEqual(pairing.try(wrong()), { is: 'wrong', triesLeft: 2 })
    assert.deepEqual(pairing.try(''), { is: 'wrong', triesLeft: 1 })
    assert.deepEqual(pairing.try(`${code}0`), { is: 'over' })
    assert.deepEqual(pairing.try(code), { is: 'over' })
  })

  it('has two minutes for a code, and shows it once', () => {
    const { pairing, codes, pass } = begun()
    pairing.ask()
    pairing.ask()
    assert.equal(codes.length, 1)
    pass(120_000)
    assert.deepEqual(pairing.try(codes[0] ?? ''), { is: 'over' })
    pairing.ask()
    assert.equal(codes.length, 2)
    pass(119_999)
    assert.equal(pairing.try(codes[1] ?? '').is, 'paired')
  })

  it('shows no code any more after twenty that paired no page, and begins to count again after a page has paired', () => {
    const { pairing, codes, wrong } = begun()
    const guess = () => {
      for (let tries = 0; tries < 3; tries += 1) pairing.try(wrong())
    }
    for (let shown = 1; shown < 20; shown += 1) {
      assert.equal(pairing.ask(), true)
      guess()
    }
    assert.equal(pairing.ask(), true)
    assert.equal(pairing.try(codes.at(-1) ?? '').is, 'paired')
    for (let shown = 0; shown < 20; shown += 1) {
      assert.equal(pairing.ask(), true)
      guess()
    }
    assert.equal(pairing.ask(), false)
  })
})
