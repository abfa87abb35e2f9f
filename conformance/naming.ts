/** Expectations about the names that an owner gives. */
import assert from 'node:assert/strict'
import type { Reply } from './call.ts'
import { expectAnswer } from './expect.ts'
import { base64 } from './world.ts'

/** A name is set, stays when left out, and null removes it; others are refused. Returns the last name. */
export async function expectNaming(
  name: (body: object) => Promise<Reply>,
  shown: () => Promise<string | undefined>,
): Promise<string> {
  const sealed_name = base64(4096)
  for (const [given, now] of [
    [{}, await shown()],
    [{ sealed_name }, sealed_name],
    [{}, sealed_name],
    [{ sealed_name: null }, undefined],
    [{ sealed_name }, sealed_name],
  ] as const) {
    expectAnswer(await name(given), '204')
    assert.equal(await shown(), now)
  }
  for (const wrong of ['', '=', base64(4097)]) expectAnswer(await name({ sealed_name: wrong }), '400 request.malformed')
  expectAnswer(await name({ sealed_name: {} }), '422 request.unprocessable')
  assert.equal(await shown(), sealed_name)
  return sealed_name
}
