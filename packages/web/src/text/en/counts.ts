import { countsIn } from '../counts.ts'

export const { number, plural } = countsIn('en')

export const files = (count: number) => `${number(count)} ${plural(count, 'file', 'files')}`
