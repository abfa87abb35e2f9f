import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Seat, Seats } from '../ports/seats.ts'

/** Tests the promises of `Seats` on one adapter. `inWorld` runs a test over seats of its own, all free. */
export function seatsContract(
  name: string,
  inWorld: (work: (seats: Seats) => Promise<void>) => () => Promise<void>,
): void {
  const isSeat = (seat: Seat | undefined): seat is Seat => seat !== undefined

  describe(`${name} keeps the promises of Seats`, () => {
    it(
      'gives exactly so many as there are, also of 64 requests at once, and each again when it was left',
      inWorld(async (seats) => {
        const taken = (await Promise.all(Array.from({ length: 64 }, () => seats.take('a place', 16)))).filter(isSeat)
        assert.equal(taken.length, 16)
        assert.equal(await seats.take('a place', 16), undefined)
        await taken[3]?.leave()
        await taken[3]?.leave()
        assert.ok(await seats.take('a place', 16))
        assert.equal(await seats.take('a place', 16), undefined)
      }),
    )

    it(
      'gives seats of different places independently',
      inWorld(async (seats) => {
        assert.ok(await seats.take('one', 1))
        assert.ok(await seats.take('another', 1))
        assert.equal(await seats.take('one', 1), undefined)
      }),
    )
  })
}
