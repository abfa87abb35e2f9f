import assert from 'node:assert/strict'
import { link, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { LocalError } from '../ground/exits.ts'
import { type FileToSave, finishPlan, isFileAt, type SavePlan, saveAs, saveFile } from './saveFile.ts'

let root: string
let folder: string
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'blindkeep-save-'))
})
beforeEach(async () => {
  folder = await mkdtemp(join(root, 'folder-'))
})
after(() => rm(root, { recursive: true, force: true }))

function streamOf(...pieces: readonly (string | Error)[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  const left = [...pieces]
  return new ReadableStream({
    pull(controller) {
      const piece = left.shift()
      if (piece === undefined) controller.close()
      else if (typeof piece === 'string') controller.enqueue(new TextEncoder().encode(piece))
      else controller.error(piece)
    },
  })
}

const fileOf = (name: string | undefined, text = 'text', more: Partial<FileToSave> = {}): FileToSave => ({
  folder,
  name,
  id: 'one',
  size: text.length,
  content: async () => streamOf(text.slice(0, 2), text.slice(2)),
  ...more,
})
const inFolder = async (directory = folder) => (await readdir(directory, { recursive: true })).sort()

describe('the path of a file', () => {
  it('is free or has a file, and what is none is never taken for one that may go', async () => {
    const [file, link] = [join(folder, 'file'), join(folder, 'link')]
    assert.equal(await isFileAt(file), false)
    await writeFile(file, '')
    assert.equal(await isFileAt(file), true)
    await symlink(file, link)
    for (const other of [folder, link, ...(process.platform === 'win32' ? [] : ['/dev/null'])])
      await assert.rejects(
        isFileAt(other),
        (error) => error instanceof LocalError && /not replaced/.test(error.message),
      )
    await assert.rejects(isFileAt(join(folder, 'none', 'file')), { code: 'ENOENT', path: join(folder, 'none') })
  })
})

describe('a file from elsewhere', () => {
  it('keeps its folders, its time, and gets the rights of any new file', async () => {
    const modifiedAt = '2020-02-03T04:05:06.000Z'
    const path = await saveFile(fileOf('photos/summer/a.jpg', 'bytes', { modifiedAt }))
    assert.equal(path, join(folder, 'photos', 'summer', 'a.jpg'))
    assert.equal(await readFile(path, 'utf8'), 'bytes')
    const { mtime, mode } = await stat(path)
    assert.equal(mtime.toISOString(), modifiedAt)
    assert.equal(mode & 0o777, 0o666 & ~process.umask())
    assert.deepEqual(await inFolder(), ['photos', 'photos/summer', 'photos/summer/a.jpg'])
  })

  it('keeps a time before 1970 and after 2242, and has the present without a time', async () => {
    for (const modifiedAt of ['1905-06-30T12:00:00.250Z', '1969-12-31T23:59:59.999Z', '2300-01-01T00:00:00.000Z']) {
      const path = await saveFile(fileOf('a.jpg', 'bytes', { modifiedAt }))
      assert.equal((await stat(path)).mtime.toISOString(), modifiedAt)
    }
    for (const modifiedAt of ['yesterday', '', undefined]) {
      const { mtimeMs } = await stat(await saveFile(fileOf('a.jpg', 'bytes', { modifiedAt })))
      assert.ok(Date.now() - mtimeMs < 60_000)
    }
  })

  it('is saved also with a time that its disk cannot have', async () => {
    for (const modifiedAt of ['0000-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'])
      assert.equal(await readFile(await saveFile(fileOf('a.jpg', 'bytes', { modifiedAt })), 'utf8'), 'bytes')
  })

  const hostile: readonly (readonly [string | undefined, string])[] = [
    ['../../outside.txt', 'outside.txt'],
    ['/etc/passwd', 'etc/passwd'],
    ['a/../../b', 'a/b'],
    ['..\\..\\boot.ini', '_.._boot.ini'],
    ['.bashrc', 'bashrc'],
    ['.blindkeep-one.part', 'blindkeep-one.part'],
    ['a\u202Efdp.exe', 'afdp.exe'],
    ['x/', 'x'],
    ['///', 'unnamed'],
    ['CON', '_CON'],
    [undefined, 'unnamed'],
  ]
  for (const [name, safe] of hostile)
    it(`named ${JSON.stringify(name)} is ${safe} inside the folder`, async () => {
      assert.equal(await saveFile(fileOf(name)), join(folder, safe))
    })

  it('never follows a link out of the folder, and never replaces one', async () => {
    const outside = await mkdtemp(join(root, 'outside-'))
    await symlink(outside, join(folder, 'away'))
    assert.equal(await saveFile(fileOf('away/deeper/x')), join(folder, 'away (2)', 'deeper', 'x'))
    await symlink(join(outside, 'target'), join(folder, 'x'))
    assert.equal(await saveFile(fileOf('x')), join(folder, 'x (2)'))
    await symlink(join(outside, 'target'), join(folder, '.blindkeep-one.part'))
    await saveFile(fileOf('y'))
    assert.deepEqual(await readdir(outside), [])
  })

  it('stays below the longest path of a system, however deep its sender puts it', async () => {
    const path = await saveFile(fileOf(`${`${'é'.repeat(120)}/`.repeat(30)}a.txt`))
    assert.equal(path, join(folder, 'é'.repeat(120), 'é'.repeat(120), 'a.txt'))
  })

  it('gets a number when its name is taken, which fits into the longest name', async () => {
    const paths = await Promise.all(
      ['one', 'two', 'three'].map((id) => saveFile(fileOf('a.txt', id, { id, size: id.length }))),
    )
    assert.deepEqual(paths.sort(), [join(folder, 'a (2).txt'), join(folder, 'a (3).txt'), join(folder, 'a.txt')])
    const long = `${'é'.repeat(130)}.txt`
    await saveFile(fileOf(long))
    const second = await saveFile(fileOf(long))
    assert.match(second, /é \(2\)\.txt$/)
  })

  it('is put into a numbered folder when a file has the name of its folder', async () => {
    await saveFile(fileOf('a'))
    assert.equal(await saveFile(fileOf('a/b')), join(folder, 'a (2)', 'b'))
    assert.equal(await saveFile(fileOf('a/c')), join(folder, 'a (2)', 'c'))
  })

  it('leaves nothing when its stream fails', async () => {
    const content = async () => streamOf('te', new Error('cut'))
    await assert.rejects(saveFile(fileOf('a.txt', 'text', { content })), /cut/)
    assert.deepEqual(await inFolder(), [])
  })

  it('is refused before the first byte when the disk has no room for it', async () => {
    let asked = false
    const content = async () => {
      asked = true
      return streamOf()
    }
    await assert.rejects(saveFile(fileOf('a.txt', 'x', { size: Number.MAX_SAFE_INTEGER, content })), LocalError)
    assert.equal(asked, false)
  })

  it('replaces what a killed process left of it', async () => {
    await writeFile(join(folder, '.blindkeep-one.part'), 'half of it and more')
    assert.equal(await readFile(await saveFile(fileOf('a.txt', 'whole')), 'utf8'), 'whole')
  })
})

describe('a file that two processes save into one folder', () => {
  /** What `first` does while the other one has written its beginning. */
  async function whileHalfWritten(first: () => Promise<unknown>, second: Partial<FileToSave> = {}): Promise<unknown> {
    const goOn = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    let asked = 0
    // Each piece is asked for when the one before is written.
    const content = async () =>
      new ReadableStream<Uint8Array<ArrayBuffer>>(
        {
          async pull(controller) {
            if (asked++ === 0) return controller.enqueue(new TextEncoder().encode('te'))
            begun.resolve()
            await goOn.promise
            controller.enqueue(new TextEncoder().encode('xt'))
            controller.close()
          },
        },
        { highWaterMark: 0 },
      )
    const saving = saveFile(fileOf('a.txt', 'text', { content, ...second }))
    await begun.promise
    try {
      return await first()
    } finally {
      goOn.resolve()
      await saving.catch(() => undefined)
    }
  }

  for (const [how, save] of [
    ['name', (file: FileToSave) => saveFile(file)],
    ['path', (file: FileToSave) => saveAs(join(folder, 'a.txt'), { ...file, replace: false })],
    ['path that may be replaced', (file: FileToSave) => saveAs(join(folder, 'a.txt'), { ...file, replace: true })],
  ] as const)
    it(`never gets its ${how} while the other one has written only a half`, async () => {
      const [written, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const whole = new TextEncoder().encode('text')
      const content = async () =>
        new ReadableStream<Uint8Array<ArrayBuffer>>({
          async pull(controller) {
            controller.enqueue(whole)
            written.resolve()
            await goOn.promise
            controller.close()
          },
        })
      const first = save(fileOf('a.txt', 'text', { content }))
      await written.promise
      await whileHalfWritten(async () => {
        goOn.resolve()
        await assert.rejects(first, LocalError)
        assert.deepEqual(await inFolder(), ['.blindkeep-one.part'])
      })
      assert.deepEqual(await inFolder(), ['a.txt'])
      assert.equal(await readFile(join(folder, 'a.txt'), 'utf8'), 'text')
    })

  it('is not finished by the plan of an ended process with the part of the other one', async () => {
    let plan: SavePlan | undefined
    const onPlanned = async (next: SavePlan) => {
      plan = next
      throw new Error('killed')
    }
    await assert.rejects(saveFile(fileOf('a.txt', 'text', { onPlanned })), /killed/)
    await whileHalfWritten(async () => {
      assert.ok(plan)
      assert.equal(await finishPlan(plan), undefined)
    })
    assert.deepEqual(await inFolder(), ['a.txt'])
  })

  it('is not taken for another file of its name, when its part was removed', async () => {
    let plan: SavePlan | undefined
    const onPlanned = async (next: SavePlan) => {
      plan = next
      throw new Error('killed')
    }
    await assert.rejects(saveFile(fileOf('a.txt', 'text', { onPlanned })), /killed/)
    assert.ok(plan)
    await writeFile(plan.path, 'mine')
    await rm(plan.part)
    assert.equal(await finishPlan(plan), undefined)
  })
})

describe('a plan that a process left', () => {
  async function plan(): Promise<SavePlan> {
    const part = join(folder, '.blindkeep-one.part')
    await writeFile(part, 'whole')
    return { part, path: join(folder, 'a.txt') }
  }

  it('gives the name that was missing', async () => {
    assert.equal(await finishPlan(await plan()), join(folder, 'a.txt'))
    assert.deepEqual(await inFolder(), ['a.txt'])
  })

  it('gives no second name when the first was given, with or without the part', async () => {
    const left = await plan()
    await link(left.part, left.path)
    assert.equal(await finishPlan(left), left.path)
    assert.equal(await finishPlan(left), left.path)
    assert.deepEqual(await inFolder(), ['a.txt'])
  })

  it('takes another name when a file of the person has it, and notes that first', async () => {
    const left = await plan()
    await writeFile(left.path, 'mine')
    const planned: string[] = []
    const path = await finishPlan(left, async (next) => void planned.push(next.path))
    assert.equal(path, join(folder, 'a (2).txt'))
    assert.deepEqual(planned, [path])
    assert.equal(await readFile(left.path, 'utf8'), 'mine')
  })

  it('is void when its bytes are not those that were written, under its name or as its part', async () => {
    let left: SavePlan | undefined
    const onPlanned = async (next: SavePlan) => {
      left = next
      throw new Error('killed')
    }
    await assert.rejects(saveFile(fileOf('a.txt', 'text', { onPlanned })), /killed/)
    assert.ok(left)
    await writeFile(left.part, Buffer.alloc(4))
    assert.equal(await finishPlan(left), undefined)
    await rename(left.part, left.path)
    assert.equal(await finishPlan(left), undefined)
    await writeFile(left.path, 'text')
    assert.equal(await finishPlan(left), left.path)
  })

  it('is void without its part and its file', async () => {
    assert.equal(await finishPlan({ part: join(folder, 'no'), path: join(folder, 'a.txt') }), undefined)
  })
})

describe('a file under a path of the person', () => {
  const { folder: _, name: __, ...file } = fileOf('')

  it('replaces what is there only if that is wanted', async () => {
    await mkdir(join(folder, 'deep'))
    const path = join(folder, 'deep', 'a.txt')
    await saveAs(path, { ...file, replace: false })
    const content = async () => streamOf('new')
    await assert.rejects(saveAs(path, { ...file, content, replace: false }), { code: 'EEXIST' })
    assert.equal(await readFile(path, 'utf8'), 'text')
    await saveAs(path, { ...file, content, replace: true })
    assert.equal(await readFile(path, 'utf8'), 'new')
    assert.deepEqual(await inFolder(join(folder, 'deep')), ['a.txt'])
  })
})
