/** The client in Node: a faster environment, and files on disk. */
export { type OpenFile, openFile, withPath } from './fileSource.ts'
export { nodeEnvironment } from './nodeEnvironment.ts'
