/** What a malicious server does, for the tampering proxy. */
import assert from 'node:assert/strict'
import type { Exchanged, Message } from './tamperingProxy.ts'

export const isRequest = (method: string, form: RegExp) => (exchange: Exchanged) =>
  exchange.method === method && form.test(exchange.path)

/** Changes the members of a JSON answer. */
export const changeBody = (change: (body: Record<string, unknown>) => void) => (message: Message) => {
  const body: Record<string, unknown> = JSON.parse(message.body.toString())
  change(body)
  return { ...message, body: Buffer.from(JSON.stringify(body)) }
}

/** Flips one bit of a body. */
export const flipAt = (position: number) => (message: Message) => {
  const body = Buffer.from(message.body)
  body[position] = (body[position] ?? 0) ^ 1
  return { ...message, body }
}

/** Flips one bit of the bytes behind a base64 text. */
export function flipInBase64(text: unknown, position: number): string {
  assert.ok(typeof text === 'string')
  const bytes = Buffer.from(text, 'base64')
  bytes[position] = (bytes[position] ?? 0) ^ 1
  return bytes.toString('base64')
}
