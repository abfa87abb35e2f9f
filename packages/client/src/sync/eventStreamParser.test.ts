import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createEventStreamParser, type StreamBlock } from './eventStreamParser.ts'

const read = (...pieces: readonly string[]): readonly StreamBlock[] => {
  const parser = createEventStreamParser('start')
  return pieces.flatMap((piece) => parser.push(piece))
}

const event = (id: string, data: string, name = 'message'): StreamBlock => ({ id, event: { name, data } })

describe('the parser of event streams', () => {
  it('reads the examples of the standard', () => {
    assert.deepEqual(
      read('data: This is the first message.\n\ndata: This is the second message, it\ndata: has two lines.\n\n'),
      [event('start', 'This is the first message.'), event('start', 'This is the second message, it\nhas two lines.')],
    )
    assert.deepEqual(read('event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\n'), [
      event('start', '73857293', 'add'),
      event('start', '2153', 'remove'),
    ])
    assert.deepEqual(
      read(': test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n'),
      [event('1', 'first event'), event('', 'second event'), event('', ' third event')],
    )
    assert.deepEqual(read('data\n\ndata\ndata\n\ndata:'), [event('start', ''), event('start', '\n')])
    assert.deepEqual(read('data:test\n\ndata: test\n\n'), [event('start', 'test'), event('start', 'test')])
  })

  it('accepts every kind of line end, also mixed', () => {
    const wanted = [event('7', 'a\nb', 'x')]
    for (const end of ['\n', '\r', '\r\n'])
      assert.deepEqual(read(['id: 7', 'event: x', 'data: a', 'data: b', '', ''].join(end)), wanted)
    assert.deepEqual(read('id: 7\revent: x\r\ndata: a\ndata: b\r\r\n'), wanted)
  })

  it('returns the id of a block without data, and no event', () => {
    assert.deepEqual(read('id: 5\n\n'), [{ id: '5', event: undefined }])
    assert.deepEqual(read('event: x\n\ndata: y\n\n'), [{ id: 'start', event: undefined }, event('start', 'y')])
  })

  it('ignores comments, unknown fields, an id with NUL, one BOM and an unfinished block', () => {
    assert.deepEqual(read('\uFEFF: comment\nretry: 5\nid: a\0b\nDATA: no\ndata: y\n\nid: 9\ndata: cut'), [
      event('start', 'y'),
    ])
    assert.deepEqual(read('\uFEFF\uFEFFdata: y\n\n'), [])
    assert.deepEqual(read('', '\uFEFFdata: y\n\n'), [event('start', 'y')])
  })

  it('reads the same for pieces of any size', () => {
    const line = fc.constantFrom('data: a', 'data:b', 'id: 1', 'id', 'event: x', ': c', '', '', 'retry: 1')
    const end = fc.constantFrom('\n', '\r', '\r\n')
    const text = fc.array(fc.tuple(line, end), { maxLength: 30 }).map((lines) => `\uFEFF${lines.flat().join('')}`)
    fc.assert(
      fc.property(text, fc.array(fc.nat(200), { maxLength: 8 }), (whole, cuts) => {
        const places = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).toSorted((a, b) => a - b), whole.length]
        const pieces = places.slice(1).map((place, index) => whole.slice(places[index], place))
        assert.deepEqual(read(...pieces), read(whole))
      }),
    )
  })

  it('reads an unlimited stream, and refuses an event without an end', () => {
    const parser = createEventStreamParser()
    for (let turn = 0; turn < 3000; turn += 1) parser.push(`data: ${'x'.repeat(100)}\n\n`)
    assert.throws(() => {
      for (let turn = 0; turn < 3000; turn += 1) parser.push('data: x'.repeat(10))
    }, RangeError)
    assert.throws(() => createEventStreamParser().push('data: x\n'.repeat(10_000)), RangeError)
    assert.throws(() => createEventStreamParser().push(`data: y\n\n${'data: x\n'.repeat(10_000)}`), RangeError)
  })
})
