import { useMutation } from '@tanstack/react-query';
import { logOut } from '../app/log-out.js';
import { Button } from '../ui/button.js';
import { toast } from '../ui/toast.js';

export function LogOut() {
  const leave = useMutation({ mutationFn: logOut, onError: toast.problem });
  return (
    <Button disabled={leave.isPending} onClick={() => leave.mutate()}>
      Log out
    </Button>
  );
}
