import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { filesOfTransfer, folderOf } from './chosenFiles.ts'

const BATCH = 100

/** Stands in for the entries of a browser. */
function fileEntry(name: string): FileSystemEntry {
  const file = (give: (file: File) => void) => give(new File([name], name))
  return { isFile: true, isDirectory: false, name, file } as unknown as FileSystemEntry
}

function directoryEntry(name: string, children: readonly FileSystemEntry[]): FileSystemEntry {
  const createReader = () => {
    let next = 0
    const readEntries = (give: (batch: readonly FileSystemEntry[]) => void) => {
      give(children.slice(next, next + BATCH))
      next += BATCH
    }
    return { readEntries }
  }
  return { isFile: false, isDirectory: true, name, createReader } as unknown as FileSystemEntry
}

function transferOf(...entries: readonly FileSystemEntry[]): DataTransfer {
  const items = entries.map((entry) => ({ kind: 'file', webkitGetAsEntry: () => entry, getAsFile: () => null }))
  return { items } as unknown as DataTransfer
}

describe('dropped files', () => {
  it('are read with all folders below, in as many batches as the browser gives', async () => {
    const many = Array.from({ length: 250 }, (_, index) => fileEntry(`${index}.jpg`))
    const dropped = transferOf(
      fileEntry('note.txt'),
      directoryEntry('trip', [...many, directoryEntry('day 2', [fileEntry('map.png')])]),
      directoryEntry('empty', []),
    )
    const { files, ...others } = await filesOfTransfer(dropped)
    assert.equal(files.length, 252)
    assert.deepEqual(others, { unreadable: [], emptyFolders: ['empty'] })
    assert.deepEqual(
      files.filter(({ file }) => ['note.txt', '249.jpg', 'map.png'].includes(file.name)).map(({ folder }) => folder),
      ['', 'trip', 'trip/day 2'],
    )
  })

  it('include pasted pictures, which have no entry', async () => {
    const file = new File(['x'], 'image.png')
    const transfer = { items: [{ kind: 'file', getAsFile: () => file }, { kind: 'string' }] } as unknown as DataTransfer
    assert.deepEqual((await filesOfTransfer(transfer)).files, [{ file, folder: '' }])
    assert.deepEqual(await filesOfTransfer(null), { files: [], unreadable: [], emptyFolders: [] })
  })

  it('are read as far as possible, with the names of those that could not be read', async () => {
    const gone = {
      ...fileEntry('gone.txt'),
      file: (_: unknown, fail: (error: Error) => void) => fail(new Error('gone')),
    }
    const shut = {
      ...directoryEntry('shut', []),
      createReader: () => ({ readEntries: (_: unknown, fail: (error: Error) => void) => fail(new Error('denied')) }),
    }
    const { files, unreadable } = await filesOfTransfer(
      transferOf(directoryEntry('trip', [gone, shut, fileEntry('here')])),
    )
    assert.deepEqual([files.map(({ file }) => file.name), unreadable], [['here'], ['gone.txt', 'shut']])
  })
})

describe('the folder of a chosen file', () => {
  it('is the path without the file’s own name', () => {
    assert.equal(folderOf('trip/day 2/map.png'), 'trip/day 2')
    assert.equal(folderOf(''), '')
  })
})
