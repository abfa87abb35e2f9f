/** What a client reads a file from. */
export { type Source, SourceChanged, sourceOfBlob, sourceOfBytes } from './seal/source.ts'
