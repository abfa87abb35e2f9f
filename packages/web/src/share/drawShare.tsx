import { draw } from '../common/draw.ts'
import { ShareApp } from './shareApp.tsx'

export function drawShare(page: HTMLElement, isExposed: boolean): void {
  draw(<ShareApp isExposed={isExposed} />, page)
}
