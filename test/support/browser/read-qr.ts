/** QR codes of a page, as a camera reads them. */
import type { Locator } from 'playwright-core';
import decodeQR from 'qr/decode.js';

/** The text of a QR code that a page shows. @throws Error where the picture cannot be read */
export async function readQr(picture: Locator): Promise<string> {
  const png = (await picture.screenshot()).toString('base64');
  const { width, height, data } = await picture.page().evaluate(async base64 => {
    const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(base64), one => one.charCodeAt(0))]));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    if (!canvas) throw new Error('nothing to draw on');
    canvas.drawImage(bitmap, 0, 0);
    return {
      width: bitmap.width,
      height: bitmap.height,
      data: [...canvas.getImageData(0, 0, bitmap.width, bitmap.height).data],
    };
  }, png);
  return decodeQR({ width, height, data: Uint8Array.from(data) });
}
