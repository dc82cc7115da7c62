import { describe, expect, it } from 'vitest';
import { type Mounts, mountArguments } from './sandbox-mounts.js';

const NOTHING: Mounts = {
  writable: [],
  readOnly: [],
  visible: [],
  hidden: [],
  masked: [],
  temporary: { type: 'system' },
  processes: 'shared',
};

const argumentsOf = (mounts: Partial<Mounts>): string =>
  mountArguments({ ...NOTHING, ...mounts }).join(' ');

describe('the mounts of a sandbox', () => {
  it('SE-6 are read-only by default', () => {
    expect(argumentsOf({})).toBe('--ro-bind / / --dev /dev');
  });

  it('SE-6 go from the root down, so that deeper paths override', () => {
    const made = argumentsOf({
      writable: ['/home/a/work', '/'],
      readOnly: ['/home/a/work/.git/hooks'],
      hidden: ['/home/a/.stoa'],
      processes: 'separate',
    });
    expect(made).toBe(
      '--ro-bind / / --bind / / --dev /dev --unshare-pid --proc /proc --bind /home /home --bind /home/a /home/a ' +
        '--bind /home/a/work /home/a/work --tmpfs /home/a/.stoa --remount-ro /home/a/.stoa ' +
        '--bind /home/a/work/.git /home/a/work/.git --ro-bind /home/a/work/.git/hooks /home/a/work/.git/hooks',
    );
  });

  it('SE-6 leave out a writable path inside another one, which a link could replace', () => {
    const made = argumentsOf({ writable: ['/work', '/work/target'] });
    expect(made).toBe('--ro-bind / / --dev /dev --bind /work /work');
  });

  it('make nothing in a hidden directory writable', () => {
    const made = argumentsOf({ writable: ['/data/x'], hidden: ['/data'] });
    expect(made).not.toContain('--bind /data/x');
  });

  it('include a private temporary directory, unless the workspace is that of the system', () => {
    const temporary = { type: 'directory', path: '/data/tmp' } as const;
    expect(argumentsOf({ temporary })).toContain('--bind /data/tmp /tmp');
    expect(argumentsOf({ temporary, writable: ['/tmp'] })).not.toContain('/data/tmp');
    expect(argumentsOf({ temporary: { type: 'memory' } })).toContain('--tmpfs /tmp');
  });

  it('SE-6 mask a socket unless it is writable', () => {
    const masked = ['/run/docker.sock'];
    expect(argumentsOf({ masked })).toContain('--ro-bind /dev/null /run/docker.sock');
    expect(argumentsOf({ masked, writable: masked })).not.toContain('/dev/null');
  });

  it('keep a writable device usable', () => {
    expect(argumentsOf({ writable: ['/dev/dri'] })).toContain('--dev-bind /dev/dri /dev/dri');
  });

  it('keep files of a program in the temporary directory visible, unless they are hidden', () => {
    const made = argumentsOf({
      temporary: { type: 'memory' },
      visible: ['/tmp/tools', '/opt/tools', '/tmp', '/tmp/data/inner'],
      hidden: ['/tmp/data', '/tmp/tools/data'],
    });
    expect(made).toBe(
      '--ro-bind / / --dev /dev --tmpfs /tmp --ro-bind /tmp/tools /tmp/tools ' +
        '--tmpfs /tmp/tools/data --remount-ro /tmp/tools/data',
    );
  });
});
