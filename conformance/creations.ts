/** Expectations about requests that create something. */
import assert from 'node:assert/strict'
import type { Reply } from './call.ts'
import { expectAnswer } from './expect.ts'

/** Sends a valid creation with these additional headers. */
type Create = (headers: Record<string, string>) => Promise<Reply>

/** A creating write is answered 426 outside the protocol window, and 201 at both of its ends. */
export async function expectProtocolWindow(create: Create): Promise<void> {
  const ends = new Set<string>()
  for (const date of ['1999-12-31', '2999-01-01']) {
    const reply = await create({ 'x-service-protocol': date })
    expectAnswer(reply, '426 protocol.version_unsupported', date)
    const { upgrade, 'x-service-protocol-min': min, 'x-service-protocol-max': max } = reply.headers
    assert.equal(upgrade, `service/${max}`)
    for (const end of [min, max]) ends.add(String(end))
  }
  for (const end of ends) expectAnswer(await create({ 'x-service-protocol': end }), '201', end)
}

/** Sends a creation with each of the values in place of the valid one, and expects the answer for all. */
export async function expectRefusedValues(
  send: (over: Record<string, unknown>) => Promise<Reply>,
  values: Readonly<Record<string, readonly unknown[]>>,
  answer: string,
): Promise<void> {
  for (const [name, each] of Object.entries(values))
    for (const value of each)
      expectAnswer(await send({ [name]: value }), answer, `${name} ${String(JSON.stringify(value)).slice(0, 80)}`)
}

export const MISTYPED = [undefined, null, 1, {}, [], true]
