import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { unzipped, whyNoUnzip } from '../../../testing/unzipped.ts'
import { MAX_ZIP_FILES, zipOf, zipPathsOf } from './zip.ts'

const skip = (await whyNoUnzip()) ?? false

function fileOf(name: string | undefined, content: Uint8Array<ArrayBuffer>, modifiedAt?: string) {
  return { name, size: content.length, modifiedAt, open: async () => ({ content: new Blob([content]).stream() }) }
}

const bytesOf = async (content: ReadableStream<Uint8Array>) =>
  new Uint8Array(await new Response(content.pipeThrough(copied())).arrayBuffer())
/** A Response takes only bytes of its own. */
const copied = () =>
  new TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>({
    transform: (piece, controller) => controller.enqueue(Uint8Array.from(piece)),
  })

describe('a ZIP', { skip }, () => {
  it('has folders, names of any language and empty files, is as long as it says, and reads as any other', async () => {
    const contents = ['day 1/one.jpg', 'day 1/Grüße 文件.txt', 'empty', '../../etc/passwd', undefined]
    const files = contents.map((name, index) => fileOf(name, new Uint8Array(randomBytes(index === 2 ? 0 : 100_000))))
    const { content, size } = await zipOf(files)
    const zip = await bytesOf(content)
    assert.equal(zip.length, size)
    const hashes = await Promise.all(
      files.map(async ({ open }) =>
        createHash('sha256')
          .update(await bytesOf((await open()).content))
          .digest('hex'),
      ),
    )
    const names = ['day 1/one.jpg', 'day 1/Grüße 文件.txt', 'empty', 'etc/passwd', 'unnamed']
    assert.deepEqual(
      (await unzipped(zip)).map(({ name, size: bytes, hash }) => [name, bytes, hash]),
      names.map((name, index) => [name, files[index]?.size, hashes[index]]),
    )
  })

  it('has the times of its files, as far as ZIP has them', async () => {
    const times = ['2026-03-01T10:20:30.456Z', '1601-01-01T00:00:00Z', '9999-12-31T00:00:00Z', 'yesterday']
    const { content } = await zipOf(times.map((time) => fileOf('a', new Uint8Array(), time)))
    const years = (await unzipped(await bytesOf(content))).map(({ time }) => time[0])
    assert.deepEqual(years, [2026, 1980, 2107, new Date().getFullYear()])
  })
})

describe('making a ZIP', () => {
  it('refuses more files than readers agree about', async () => {
    const file = fileOf('a', new Uint8Array())
    await assert.rejects(zipOf(Array.from({ length: MAX_ZIP_FILES + 1 }, () => file)), RangeError)
  })

  it('has room for sizes beyond 4 GiB', async () => {
    const sized = async (size: number) => (await zipOf([{ ...fileOf('a', new Uint8Array()), size }])).size - size
    // Sizes of 8 bytes behind the file, a field in the directory, and the two records at the end.
    assert.equal((await sized(5 * 2 ** 30)) - (await sized(1000)), 8 + 28 + 56 + 20)
  })

  it('opens each file when its turn comes, and fails with its error', async () => {
    const opened: string[] = []
    const open = (name: string) => async () => {
      opened.push(name)
      if (name === 'b') throw new Error('b is altered')
      return { content: new Blob(['a']).stream() }
    }
    const files = ['a', 'b', 'c'].map((name) => ({ name, size: 1, open: open(name) }))
    const { content } = await zipOf(files)
    await assert.rejects(bytesOf(content), { message: 'b is altered' })
    assert.deepEqual(opened, ['a', 'b'])
  })
})

describe('the paths in a ZIP', () => {
  it('are different on every system, and no file has the path of a folder', () => {
    const names = ['a.txt', 'A.txt', 'a (2).txt', 'a.txt', 'x/y', 'x', 'X/Y/z', 'x/../y', undefined, '', 'ΟΔΟΣ', 'οδοσ']
    assert.deepEqual(zipPathsOf(names), [
      'a.txt',
      'A (2).txt',
      'a (2) (2).txt',
      'a (3).txt',
      'x/y (2)',
      'x (2)',
      'X/Y/z',
      'x/y (3)',
      'unnamed',
      'unnamed (2)',
      'ΟΔΟΣ',
      'οδοσ (2)',
    ])
  })

  it('begin with the folders that are given for each', () => {
    assert.deepEqual(zipPathsOf(['a', 'a', 'a', 'x/a'], [['17/b', ''], ['17/b', ''], undefined, ['17']]), [
      '17_b/_/a',
      '17_b/_/a (2)',
      'a',
      '17/x/a',
    ])
  })

  it('come at once for thousands of files of one name', () => {
    const paths = zipPathsOf(Array.from({ length: 20_000 }, () => 'photo.jpg'))
    assert.equal(new Set(paths).size, 20_000)
    assert.equal(paths.at(-1), 'photo (20000).jpg')
  })

  it('come at once for thousands of names that become equal when a number is added', () => {
    const long = (index: number) => 'x'.repeat(249) + String(index % 10_000).padStart(6, '0')
    const paths = zipPathsOf(Array.from({ length: 20_000 }, (_, index) => long(index)))
    assert.equal(new Set(paths).size, 20_000)
  })
})
