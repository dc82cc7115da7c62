import { describe, expect, it } from 'vitest';
import { withoutPassword } from './database-url.js';

describe('the displayed address of a database', () => {
  it.each([
    ['postgres://stoa:hunter2@db/stoa', 'postgres://stoa:[redacted]@db/stoa'],
    ['postgres://stoa:hun@ter2@db/stoa', 'postgres://stoa:[redacted]@db/stoa'],
    [
      'postgres://stoa@db:5432/stoa?sslmode=require',
      'postgres://stoa@db:5432/stoa?sslmode=require',
    ],
    ['postgres://stoa@db/stoa?password=hunter2', 'postgres://stoa@db/stoa?password=[redacted]'],
    [
      'postgres:///stoa?host=/run&password=hunter2',
      'postgres:///stoa?host=%2Frun&password=[redacted]',
    ],
    ['postgres://db/stoa?sslpassword=hunter2&a=b', 'postgres://db/stoa?sslpassword=[redacted]&a=b'],
    ['postgres://db/stoa?password=x&password=hunter2', 'postgres://db/stoa?password=[redacted]'],
    ['postgresql://:hunter2@db/stoa', 'postgresql://:[redacted]@db/stoa'],
  ])('%s shows as %s', (url, shown) => {
    expect(withoutPassword(url)).toBe(shown);
  });

  it.each([
    'postgres://stoa:hunter/2@db/stoa',
    'postgres://stoa:12/hunter2@db/stoa',
    'postgres://stoa:12#hunter2@db/stoa',
    'postgres://stoa:12?hunter2@db/stoa',
    'postgres://stoa:hunter2@db:port/stoa',
    'postgres://stoa:12/hunter2%40db',
  ])('%s shows nothing', (url) => {
    expect(withoutPassword(url)).toBe('[redacted]');
  });
});
