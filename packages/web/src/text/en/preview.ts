export const preview = {
  title: (name: string) => `Preview of ${name}`,
  opening: 'Opening…',
  textCut: (size: string) => `This is the first ${size} of the text. Download the file to see all of it.`,
  empty: 'The file is empty.',
  unknown: 'There is no preview for this kind of file. Download it to look at it.',
  tooLarge: 'The picture is too large to be shown here. Download it to look at it.',
  failed:
    'Your browser cannot show this file. It may be damaged, or of a kind that it does not know. You can still download it.',
  again: 'Try again',
}
