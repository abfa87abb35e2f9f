/** None of the chosen files can be opened, in an album without a question. */
export class NothingToZip extends Error {
  override readonly name = 'NothingToZip'
}
