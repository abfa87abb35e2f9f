import { number } from './counts.ts'

export const preview = {
  title: (name: string) => `Preview of ${name}`,
  opening: 'Opening…',
  textCut: (size: string) => `This is the first ${size} of the text. Download the file to see all of it.`,
  empty: 'The file is empty.',
  unknown: 'There is no preview for this kind of file. Download the file to open it.',
  tooLarge: 'The file is too large for a preview. Download it to open it.',
  failed: 'Your browser cannot show this file. It may be damaged or of an unknown kind. You can still download it.',
  again: 'Try again',
  drawing: 'Drawing…',
  page: (page: number, pages: number) => `Page ${number(page)} of ${number(pages)}`,
  pageBack: 'Previous page',
  pageOn: 'Next page',
  locked: 'This PDF has a password. Download it and open it there.',
  notPlayed: 'Your browser cannot play this file. It may be damaged or of an unknown kind. You can still download it.',
  noDecoder: 'What shows this kind of file could not be loaded. Try again, or download the file to open it.',
}
