def singular_axes(w_q, w_k):
    """U_Q and U_K, [d, rank], and S of W_Q W_K^T = U_Q S U_K^T (Yamamoto & Matsuzaki 2023, eq. 13).

    The product [d, d] is not formed: only the small factors of W_Q and W_K are multiplied.
    """
    (basis_q, factor_q), (basis_k, factor_k) = np.linalg.qr(w_q), np.linalg.qr(w_k)
    left, s, right = np.linalg.svd(factor_q @ factor_k.T)
    rank = np.sum(s > 4 * len(w_q) * np.finfo(float).eps * s[0])
    u_q, u_k = basis_q @ left[:, :rank], basis_k @ right[:rank].T
    # A pair of columns has a common sign: the entry of U_Q farthest from 0 is positive.
    signs = np.sign(u_q[np.abs(u_q).argmax(axis=0), np.arange(rank)])
    return signs * u_q, signs * u_k, s[:rank]
