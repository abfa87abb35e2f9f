/** Expectations that blobs, contents of drops and shared blobs have in common. */
import assert from 'node:assert/strict'
import type { Reply } from './call.ts'
import { expectAnswer } from './expect.ts'
import { OCTETS, sha256 } from './world.ts'

/** Reads the bytes with these headers, by GET unless the method is given. */
export type Read = (headers?: Record<string, string>, method?: string) => Promise<Reply>

export function expectWhole(reply: Reply, file: Uint8Array, what?: string): void {
  assert.deepEqual([reply.status, reply.body], [200, file], what)
  const { etag, 'content-length': length, 'accept-ranges': ranges } = reply.headers
  assert.deepEqual([etag, length, ranges], [`"${sha256(file)}"`, String(file.length), 'bytes'], what)
}

export async function expectRange(
  read: Read,
  file: Uint8Array,
  [range, start, end]: [string, number, number],
): Promise<void> {
  const reply = await read({ range })
  assert.deepEqual([reply.status, reply.body], [206, file.subarray(start, end)], range)
  const { 'content-range': part, 'content-length': length } = reply.headers
  assert.deepEqual([part, length], [`bytes ${start}-${end - 1}/${file.length}`, String(end - start)], range)
}

/** One satisfiable range is answered 206. The file has 1,000 bytes. */
export async function expectRanges(read: Read, file: Uint8Array): Promise<void> {
  const ranges: readonly [string, number, number][] = [
    ['bytes=0-0', 0, 1],
    ['bytes=10-19', 10, 20],
    ['bytes=999-999', 999, 1000],
    ['bytes=0-999', 0, 1000],
    ['bytes=990-', 990, 1000],
    ['bytes=990-5000', 990, 1000],
    ['bytes=-7', 993, 1000],
    ['bytes=-5000', 0, 1000],
  ]
  for (const each of ranges) await expectRange(read, file, each)
}

/** A range outside the 1,000 bytes is answered 416 with the length. Several and unreadable ranges are ignored. */
export async function expectOtherRanges(read: Read, file: Uint8Array): Promise<void> {
  for (const range of ['bytes=1000-', 'bytes=1000-1001', 'bytes=9007199254740993-', 'bytes=-0']) {
    const reply = await read({ range })
    expectAnswer(reply, '416 request.range_not_satisfiable', range)
    assert.equal(reply.headers['content-range'], 'bytes */1000')
  }
  const several = ['bytes=0-1,5-6', 'bytes=0-1, -1']
  const unreadable = ['bytes=', 'bytes=-', 'bytes=a-b', 'bytes=5-4', 'chars=0-1', 'bytes 0-1', 'bytes=0-1-2']
  for (const range of [...several, ...unreadable, 'bytes=+0-1', 'bytes=0x0-0x1'])
    expectWhole(await read({ range }), file, range)
}

/** The range counts only when If-Range names the hash. */
export async function expectIfRange(read: Read, file: Uint8Array): Promise<void> {
  const etag = `"${sha256(file)}"`
  const range = 'bytes=0-9'
  assert.equal((await read({ range, 'if-range': etag })).status, 206)
  for (const other of ['"other"', `W/${etag}`, 'Sat, 01 Jan 2000 00:00:00 GMT'])
    expectWhole(await read({ range, 'if-range': other }), file, other)
}

/** If-None-Match with the hash is answered 304, before the range is read. */
export async function expectIfNoneMatch(read: Read, file: Uint8Array): Promise<void> {
  const etag = `"${sha256(file)}"`
  for (const given of [etag, `W/${etag}`, `"other", ${etag}`, '*'])
    for (const headers of [{}, { range: 'bytes=0-1' }, { range: 'bytes=5000-' }])
      for (const method of ['GET', 'HEAD']) {
        const reply = await read({ 'if-none-match': given, ...headers }, method)
        assert.deepEqual([reply.status, reply.headers.etag], [304, etag], `${method} ${given}`)
      }
  expectWhole(await read({ 'if-none-match': '"other"' }), file)
}

export async function expectHeadLikeGet(read: Read): Promise<void> {
  const [head, get] = [await read({}, 'HEAD'), await read()]
  assert.equal(head.status, 200)
  const names = ['content-length', 'content-type', 'etag', 'accept-ranges', 'cache-control', 'content-disposition']
  for (const name of names) assert.equal(head.headers[name], get.headers[name], name)
}

/** No browser runs the bytes, and caches keep them only as `cacheControl` says. */
export async function expectSafeForBrowsers(read: Read, cacheControl: RegExp): Promise<void> {
  for (const { headers } of [await read(), await read({}, 'HEAD'), await read({ range: 'bytes=0-4' })]) {
    assert.equal(headers['content-type'], OCTETS)
    assert.match(String(headers['content-disposition']), /^attachment(;|$)/)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['content-security-policy'], "default-src 'none'; frame-ancestors 'none'; sandbox")
    assert.match(String(headers['cache-control']), cacheControl)
  }
}
