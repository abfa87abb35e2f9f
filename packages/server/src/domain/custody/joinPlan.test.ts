import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type JoinStep, type KeyRange, partsToJoin, planJoin } from './joinPlan.ts'

const limits = { minPieceBytes: 5, maxPieceBytes: 20, maxPieces: 10_000 }
const lengths = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 60 })

function partsOf(sizes: readonly number[]) {
  let offset = 0
  return sizes.map((length, index) => {
    offset += length
    return { key: `part ${index}`, offset: offset - length, length }
  })
}

const rangesOf = (step: JoinStep): readonly KeyRange[] => ('copy' in step ? [step.copy] : step.gather)
const bytesOf = (step: JoinStep) => rangesOf(step).reduce((sum, { start, end }) => sum + end - start, 0)

describe('the plan of a joining', () => {
  it('copies long parts and gathers short ones', () => {
    const steps = planJoin(partsOf([6, 1, 1, 9, 2]), limits)
    assert.deepEqual(steps, [
      { copy: { key: 'part 0', start: 0, end: 6 } },
      {
        gather: [
          { key: 'part 1', start: 0, end: 1 },
          { key: 'part 2', start: 0, end: 1 },
          { key: 'part 3', start: 0, end: 3 },
        ],
      },
      { copy: { key: 'part 3', start: 3, end: 9 } },
      { gather: [{ key: 'part 4', start: 0, end: 2 }] },
    ])
  })

  it('covers every byte once and in order, in pieces that the store takes, and copies only from parts that are long enough', () => {
    fc.assert(
      fc.property(lengths, (sizes) => {
        const parts = partsOf(sizes)
        const steps = planJoin(parts, limits)
        const bytes = steps.flatMap(rangesOf).flatMap(({ key, start, end }) => {
          const { offset } = parts[Number(key.slice(5))] ?? { offset: Number.NaN }
          return Array.from({ length: end - start }, (_, index) => offset + start + index)
        })
        assert.deepEqual(
          bytes,
          Array.from({ length: sizes.reduce((sum, size) => sum + size, 0) }, (_, index) => index),
        )
        for (const step of steps.slice(0, -1)) assert.ok(bytesOf(step) >= limits.minPieceBytes)
        for (const step of steps) {
          assert.ok(bytesOf(step) <= limits.maxPieceBytes)
          // Gathered bytes wait in memory.
          if ('gather' in step) assert.ok(bytesOf(step) < 2 * limits.minPieceBytes)
          else assert.ok((sizes[Number(step.copy.key.slice(5))] ?? 0) >= limits.minPieceBytes)
        }
      }),
    )
  })

  it('joins in several turns what is too much for one, and always comes to an end', () => {
    fc.assert(
      fc.property(lengths, fc.integer({ min: 13, max: 20 }), (sizes, maxPieces) => {
        const few = { ...limits, maxPieces, minPieceBytes: 5, maxPieceBytes: 100 }
        let parts = partsOf(sizes)
        for (let turns = 0; parts.length > 1; turns++) {
          assert.ok(turns < 60, 'too many turns')
          const some = partsToJoin(parts, few)
          assert.ok(some.length > 1, 'nothing was joined')
          assert.ok(planJoin(some, few).length <= maxPieces)
          const first = parts.findIndex(({ key }) => key === some[0]?.key)
          assert.deepEqual(parts.slice(first, first + some.length), some)
          const length = some.reduce((sum, part) => sum + part.length, 0)
          parts = partsOf([
            ...parts.slice(0, first).map((part) => part.length),
            length,
            ...parts.slice(first + some.length).map((part) => part.length),
          ])
        }
      }),
    )
  })
})
